// What the CUDA backend needs of the runtime, apart because all its files do: errors as exceptions, memory with an owner, numbers by fours.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <utility>

#include "firn/error.h"
#include "math/vec.h"

namespace firn::cuda {

inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw RunError(std::string("the GPU failed: ") + what + ": " + cudaGetErrorString(result));
}

// After a launch.
inline void check_launch(const char* what) { check(cudaGetLastError(), what); }

// An array on the device. What is in it is lost when it grows. Then it gets more than asked for, so that it does not soon grow again.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { cudaFree(data_); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }

  void reserve(std::size_t n) {
    if (n <= room_) return;
    if (room_ > 0) n += n / 8;
    cudaFree(std::exchange(data_, nullptr));
    room_ = 0;
    data_ = allocate(n);
    room_ = n;
  }
  T* data() const { return data_; }
  std::size_t bytes() const { return room_ * sizeof(T); }
  std::size_t room() const { return room_; }
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(room_, other.room_);
  }

 private:
  static T* allocate(std::size_t n) {
    void* p = nullptr;
    if (cudaMalloc(&p, n * sizeof(T)) == cudaSuccess) return static_cast<T*>(p);
    cudaGetLastError();
    std::size_t free = 0, all = 0;
    cudaMemGetInfo(&free, &all);
    const auto gb = [](std::size_t bytes) { return std::to_string(double(bytes) / 1e9).substr(0, 5) + " GB"; };
    throw RunError("the GPU's memory is full: " + gb(n * sizeof(T)) + " more are needed, " + gb(free) + " of " + gb(all) + " are free");
  }

  T* data_ = nullptr;
  std::size_t room_ = 0;
};

// Host memory that the device copies to and from without the host waiting.
template <class T>
class Pinned {
 public:
  Pinned() = default;
  ~Pinned() { cudaFreeHost(data_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  void reserve(std::size_t n) {
    if (n <= room_) return;
    cudaFreeHost(std::exchange(data_, nullptr));
    room_ = 0;
    void* p = nullptr;
    check(cudaMallocHost(&p, n * sizeof(T)), "memory that both sides see");
    data_ = static_cast<T*>(p);
    room_ = n;
  }
  T* data() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t room_ = 0;
};

// 1/x of a normal number, to a unit of the last place, without the branches that other numbers would want.
__device__ inline float quick_inverse(float x) {
  float guess;
  asm("rcp.approx.f32 %0, %1;" : "=f"(guess) : "f"(x));
  return fmaf(guess, fmaf(-x, guess, 1.0f), guess);
}

// Four numbers of a node, read and written at once.
template <class T>
struct alignas(4 * sizeof(T)) Quad {
  T a[4];

  __host__ __device__ T& operator[](int i) { return a[i]; }
  __host__ __device__ const T& operator[](int i) const { return a[i]; }
};

template <class T, int D>
__host__ __device__ inline Vec<T, D> vector_of(const Quad<T>& q) {
  Vec<T, D> v;
  for (int d = 0; d < D; ++d) v[d] = q[1 + d];
  return v;
}

template <class T, int D>
__host__ __device__ inline Quad<T> quad_of(T first, const Vec<T, D>& v) {
  Quad<T> q{{first, v[0], v[1], T(0)}};
  if constexpr (D == 3) q[3] = v[2];
  return q;
}

}  // namespace firn::cuda
