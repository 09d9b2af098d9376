// Particles between the parts of the program: row by row, in id order, double precision, always three components.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "firn/fields.h"

namespace firn {

namespace fields {

template <class N>
struct RowTypes {
  using Scalar = N;
  using Vector = std::array<N, 3>;
  using Matrix = std::array<N, 9>;
};
template <class N>
constexpr N initial_scalar(N x) {
  return x;
}
template <class N>
constexpr std::array<N, 3> initial_vector(N x) {
  return {x, x, x};
}
template <class N>
constexpr std::array<N, 9> initial_matrix(N x) {
  return {x, 0, 0, 0, x, 0, 0, 0, x};
}

}  // namespace fields

#define FIRN_ROW_Real double
#define FIRN_ROW_Int32 std::int32_t
#define FIRN_ROW_Uint32 std::uint32_t
#define FIRN_ROW_Uint16 std::uint16_t
#define FIRN_INITIAL_Scalar initial_scalar
#define FIRN_INITIAL_Vector initial_vector
#define FIRN_INITIAL_Matrix initial_matrix
#define FIRN_MEMBER(member, type, shape, initial) \
  fields::RowTypes<FIRN_ROW_##type>::shape member = fields::FIRN_INITIAL_##shape<FIRN_ROW_##type>(initial);

// What every particle has.
struct ParticleCore {
#define FIRN_Always(...) FIRN_MEMBER(__VA_ARGS__)
#define FIRN_Affine(...)
#define FIRN_Varied(...)
#define FIRN_LINE(member, type, shape, change, needs, initial, ...) FIRN_##needs(member, type, shape, initial)
  FIRN_FIELDS(FIRN_LINE, FIRN_NO_FIELD, FIRN_LINE)
#undef FIRN_Always
#undef FIRN_Affine

  double position(int axis, double h) const { return (cell[axis] + offset[axis]) * h; }
};

// What particles have with APIC.
struct AffinePart {
#define FIRN_Always(...)
#define FIRN_Affine(...) FIRN_MEMBER(__VA_ARGS__)
  FIRN_FIELDS(FIRN_LINE, FIRN_NO_FIELD, FIRN_LINE)
#undef FIRN_Affine
#undef FIRN_Varied

  bool operator==(const AffinePart&) const = default;
};

// What a particle of a varied run has of its own, instead of its material's.
struct Variation {
#define FIRN_Affine(...)
#define FIRN_Varied(...) FIRN_MEMBER(__VA_ARGS__)
  FIRN_FIELDS(FIRN_LINE, FIRN_NO_FIELD, FIRN_LINE)
#undef FIRN_LINE
#undef FIRN_Always
#undef FIRN_Affine
#undef FIRN_Varied
};
#undef FIRN_MEMBER

// The id is of rows that a solver gives out; it numbers those it takes in by itself. A volume of 0: to be estimated from the grid (M5).
struct ParticleRow : ParticleCore, AffinePart {
  std::optional<Variation> own;  // of particles that differ from their material
};

// Rows in id order. A scene starts from such a table, and nothing takes more memory then: what only some runs have is stored only
// where some row has it.
class ParticleTable {
 public:
  static constexpr std::size_t kCoreBytes = sizeof(ParticleCore);
  static constexpr std::size_t kAffineBytes = sizeof(AffinePart);
  static constexpr std::size_t kOwnBytes = sizeof(ParticleRow::own);

  std::size_t size() const { return cores_.size(); }
  bool empty() const { return cores_.empty(); }
  void reserve(std::size_t rows) { cores_.reserve(rows); }
  void clear() { *this = {}; }

  void push_back(const ParticleRow& row) {
    cores_.push_back(row);
    add_optional<AffinePart>(row, AffinePart(row) != AffinePart{}, affine_);
    add_optional(row.own, row.own.has_value(), own_);
  }

  ParticleRow operator[](std::size_t i) const {
    ParticleRow row{cores_[i], {}, {}};
    if (!affine_.empty()) static_cast<AffinePart&>(row) = affine_[i];
    if (!own_.empty()) row.own = own_[i];
    return row;
  }

  // Rows from `first` on for which leaves(row) is true.
  template <class Leaves>
  void remove_if(std::size_t first, Leaves leaves) {
    ParticleTable kept;
    kept.reserve(cores_.capacity());
    for (std::size_t i = 0; i < size(); ++i) {
      const ParticleRow row = (*this)[i];
      if (i < first || !leaves(row)) kept.push_back(row);
    }
    *this = std::move(kept);
  }

  class Iterator {
   public:
    Iterator(const ParticleTable& table, std::size_t at) : table_(table), at_(at) {}
    ParticleRow operator*() const { return table_[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const ParticleTable& table_;
    std::size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  // The column of the newest row; it begins with the first row that has something in it.
  template <class T>
  void add_optional(const T& value, bool is_there, std::vector<T>& column) {
    if (column.empty() && !is_there) return;
    column.reserve(cores_.capacity());
    column.resize(size() - 1);
    column.push_back(value);
  }

  std::vector<ParticleCore> cores_;
  std::vector<AffinePart> affine_;
  std::vector<std::optional<Variation>> own_;
};

}  // namespace firn
