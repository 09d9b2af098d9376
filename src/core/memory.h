// Memory: how much of it there is, and arrays that SIMD code reads.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace firn {

// Memory a program could take now, bytes.
double available_memory();

// An allocator for arrays that SIMD code reads: cache-line aligned, and large ones in huge pages where the system has them, because a
// step walks through all of its memory.

inline constexpr std::size_t kCacheLine = 64;
inline constexpr std::size_t kHugePage = std::size_t(2) << 20;

template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT: the standard's rebinding conversion

  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    void* p = ::operator new(bytes, alignment(n));
    if (alignment(n) == std::align_val_t(kHugePage)) madvise(p, bytes, MADV_HUGEPAGE);  // only advice: no harm where it fails
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t n) { ::operator delete(p, alignment(n)); }

  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }

 private:
  static std::align_val_t alignment(std::size_t n) { return std::align_val_t(n * sizeof(T) >= 2 * kHugePage ? kHugePage : kCacheLine); }
};

template <class T>
using Array = std::vector<T, AlignedAllocator<T>>;

// Like resize, but grows by a sixteenth where a vector would double: these arrays are most of the memory.
template <class T>
void resize_tightly(Array<T>& array, std::size_t n) {
  if (n > array.capacity() && array.capacity() > 0) array.reserve(n + n / 16);
  array.resize(n);
}

}  // namespace firn
