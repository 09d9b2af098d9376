// One value per particle. Columns that are used together are stored together, group by group: kGroupSize values of the first, then of
// the second … so that a pass over particles is one stream through memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "core/aligned.h"

namespace firn {

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
  const T* at(std::size_t slot) const {
    return reinterpret_cast<const T*>(first_ + slot / kGroupSize * stride_) + slot % kGroupSize;
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

  std::size_t slots() const { return stride_ == 0 ? 0 : bytes_.size() / stride_ * kGroupSize; }
  std::size_t bytes() const { return bytes_.capacity(); }

 private:
  Array<std::byte> bytes_;
  std::size_t stride_ = 0;
};

}  // namespace firn
