// The particles as columns, those of the list (firn/fields.h), stored group by group.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/memory.h"
#include "firn/fields.h"
#include "math/lattice.h"

namespace firn {

// One value per particle. Columns that are used together are stored together, group by group: kGroupSize values of the first, then of
// the second … so that a pass over particles is one stream through memory.

// Slots of a group: one cache line of floats, whole SIMD registers in every precision.
inline constexpr std::uint32_t kGroupSize = 16;

// Whole groups for so many particles.
inline std::size_t slots_for(std::size_t particles) { return (particles + kGroupSize - 1) / kGroupSize * kGroupSize; }

template <class T>
class Column {
 public:
  static constexpr std::size_t kGroupBytes = kGroupSize * sizeof(T);

  bool empty() const { return stride_ == 0; }
  // The slots from there to the end of the group follow.
  T* at(std::size_t slot) { return const_cast<T*>(std::as_const(*this).at(slot)); }
  const T* at(std::size_t slot) const { return reinterpret_cast<const T*>(first_ + slot / kGroupSize * stride_) + slot % kGroupSize; }
  // Asks for the slot's group some time before it is read.
  void fetch(std::size_t slot) const {
    const std::byte* first = first_ + slot / kGroupSize * stride_;
    for (std::size_t k = 0; k < kGroupBytes; k += kCacheLine) __builtin_prefetch(first + k);
  }
  T& operator[](std::size_t slot) { return *at(slot); }
  const T& operator[](std::size_t slot) const { return *at(slot); }

 private:
  friend class GroupMemory;

  std::byte* first_ = nullptr;
  std::size_t stride_ = 0;  // bytes from group to group
};

class GroupMemory {
 public:
  // Room for so many slots, a multiple of kGroupSize; what is there stays, the rest is zero. visit(f) calls f(column) for every column
  // that lives here, always in the same order.
  template <class Visit>
  void resize(std::size_t slots, Visit visit) {
    stride_ = 0;
    visit([&](auto& column) { stride_ += column.kGroupBytes; });
    stride_ = (stride_ + kCacheLine - 1) / kCacheLine * kCacheLine;
    resize_tightly(bytes_, slots / kGroupSize * stride_);
    bind(visit);
  }

  // Forgets what is there, then takes over what `other`, with the same columns, has: with room for so many slots and some more.
  template <class Visit>
  void become(const GroupMemory& other, std::size_t slots, Visit visit) {
    bytes_ = {};  // first: two copies at a time are enough
    stride_ = other.stride_;
    const std::size_t bytes = slots / kGroupSize * stride_;
    bytes_.reserve(bytes + bytes / 16);
    bytes_.assign(other.bytes_.begin(), other.bytes_.end());
    bytes_.resize(bytes);
    bind(visit);
  }

  template <class Visit>
  void bind(Visit visit) {
    std::byte* at = bytes_.data();
    visit([&](auto& column) {
      column.first_ = at;
      column.stride_ = stride_;
      at += column.kGroupBytes;
    });
  }

  void copy_group(const GroupMemory& other, std::size_t group) {
    std::memcpy(bytes_.data() + group * stride_, other.bytes_.data() + group * stride_, stride_);
  }

  // Asks for all of a group before it is read or, `to_write`, written.
  template <bool to_write>
  void fetch(std::size_t group) const {
    const std::byte* first = bytes_.data() + group * stride_;
    for (std::size_t at = 0; at < stride_; at += kCacheLine) __builtin_prefetch(first + at, to_write);
  }

  std::size_t slots() const { return stride_ == 0 ? 0 : bytes_.size() / stride_ * kGroupSize; }
  std::size_t bytes() const { return bytes_.capacity(); }

 private:
  Array<std::byte> bytes_;
  std::size_t stride_ = 0;
};

namespace fields {

struct Changing {};
struct Constant {};
struct Seldom {};
struct Always {};
struct Affine {};
struct Held {};
struct Varied {};

// f(component of a, same one of b) for all of a field.
template <class A, class B, class F>
void for_each_component(A& a, B& b, F f) {
  if constexpr (requires { a.size(); }) {
    for (std::size_t k = 0; k < a.size(); ++k) f(a[k], b[k]);
  } else {
    f(a, b);
  }
}

}  // namespace fields

// Which of the columns that not every run needs there are.
struct OptionalColumns {
  bool affine = false;  // APIC
  bool varied = false;  // particles with parameters of their own
  bool held = false;    // particles that bodies may hold
};

namespace fields {

// The types of the list for numbers of type T.
template <class T>
struct Types {
  using Real = T;
  using Int32 = std::int32_t;
  using Uint32 = std::uint32_t;
  using Uint16 = std::uint16_t;
};

// The columns of a shape.
template <class C, int D>
using Scalar = C;
template <class C, int D>
using Vector = std::array<C, D>;
template <class C, int D>
using Matrix = std::array<C, D * D>;

}  // namespace fields

inline bool is_there(const OptionalColumns&, fields::Always) { return true; }
inline bool is_there(const OptionalColumns& optional, fields::Affine) { return optional.affine; }
inline bool is_there(const OptionalColumns& optional, fields::Held) { return optional.held; }
inline bool is_there(const OptionalColumns& optional, fields::Varied) { return optional.varied; }

// Bytes of a particle's columns.
struct ColumnBytes {
  double changing = 0, constant = 0;
};
inline ColumnBytes column_bytes(int dimension, double bytes_of_real, const OptionalColumns& optional) {
  ColumnBytes sum;
  const double Scalar = 1, Vector = dimension, Matrix = dimension * dimension;
  const double Real = bytes_of_real, Int32 = 4, Uint32 = 4, Uint16 = 2;
  const auto add = [&](double bytes, bool changing) { (changing ? sum.changing : sum.constant) += bytes; };
#define FIRN_LINE(member, type, shape, change, needs, ...) \
  if (is_there(optional, fields::needs{})) add(type* shape, std::is_same_v<fields::change, fields::Changing>);
  FIRN_FIELDS(FIRN_LINE, FIRN_NO_FIELD, FIRN_LINE)
#undef FIRN_LINE
  return sum;
}

template <class T, int D>
class Particles {
 public:
#define FIRN_COLUMN(member, type, shape, ...) fields::shape<Column<typename fields::Types<T>::type>, D> member;
  FIRN_FIELDS(FIRN_COLUMN, FIRN_NO_FIELD, FIRN_COLUMN)
#undef FIRN_COLUMN

  Particles() = default;
  Particles(Particles&&) = default;
  Particles& operator=(Particles&&) = default;

  // Room for so many slots, a multiple of kGroupSize; what is there stays. A buffer for steps to write to has no constant columns.
  void resize(std::size_t slots, const OptionalColumns& optional, bool with_constants = true) {
    optional_ = optional;
    changing_.resize(slots, visit<fields::Changing>());
    if (!with_constants) return;
    constant_.resize(slots, visit<fields::Constant>());
    seldom_.resize(slots, visit<fields::Seldom>());
  }
  // More room in both buffers of a state. They then have the same in them, and at no time are there three.
  static void grow(Particles& now, Particles& next, std::size_t slots) {
    next.changing_.become(now.changing_, slots, next.visit<fields::Changing>());
    now.constant_.resize(slots, now.visit<fields::Constant>());
    now.seldom_.resize(slots, now.visit<fields::Seldom>());
    now.swap_changing(next);
    next.changing_.become(now.changing_, slots, next.visit<fields::Changing>());
  }
  std::size_t slots() const { return changing_.slots(); }
  const OptionalColumns& optional() const { return optional_; }
  std::size_t bytes() const { return changing_.bytes() + constant_.bytes() + seldom_.bytes(); }

  // After a step: what it wrote is the state now.
  void swap_changing(Particles& other) {
    std::swap(changing_, other.changing_);
    changing_.bind(visit<fields::Changing>());
    other.changing_.bind(other.visit<fields::Changing>());
  }

  // Asks for the group of a slot some time before a step reads it, or writes what it changes. Groups of a block lie anywhere, so that the
  // machine cannot guess the next one.
  void fetch(std::size_t slot) const {
    changing_.fetch<false>(slot / kGroupSize);
    constant_.fetch<false>(slot / kGroupSize);
  }
  void fetch_to_write(std::size_t slot) const { changing_.fetch<true>(slot / kGroupSize); }

  // Slot `to` becomes slot `from` of other particles, or of these.
  void copy(const Particles& other, std::size_t from, std::size_t to) {
    for_each_column(other, *this, [&](const auto& source, auto& target) {
      if (!source.empty()) target[to] = source[from];
    });
  }

  // The same for what steps change of one slot, and of a whole group; both have the same columns.
  void copy_changing_slot(const Particles& other, std::size_t slot) {
    for_each<fields::Changing>(other, *this, [&](const auto& source, auto& target) { target[slot] = source[slot]; });
  }
  void copy_changing(const Particles& other, std::size_t group) { changing_.copy_group(other.changing_, group); }

  // Calls f(column of a, same column of b) for every column.
  template <class A, class B, class F>
  static void for_each_column(A& a, B& b, F f) {
    for_each<fields::Changing>(a, b, f);
    for_each<fields::Constant, fields::Seldom>(a, b, f);
  }

 private:
  // Calls f(column of a, same column of b) for those that are one of `Change`.
  template <class... Change, class A, class B, class F>
  static void for_each(A& a, B& b, F f) {
#define FIRN_VISIT(member, type, shape, change, needs, ...)      \
  if constexpr ((std::is_same_v<Change, fields::change> || ...)) \
    if (is_there(a.optional_, fields::needs{})) fields::for_each_component(a.member, b.member, f);
    FIRN_FIELDS(FIRN_VISIT, FIRN_NO_FIELD, FIRN_VISIT)
#undef FIRN_VISIT
  }
  template <class Change>
  auto visit() {
    return [this](auto f) { for_each<Change>(*this, *this, [&](auto& column, auto&) { f(column); }); };
  }

  OptionalColumns optional_;
  GroupMemory changing_, constant_, seldom_;
};

}  // namespace firn
