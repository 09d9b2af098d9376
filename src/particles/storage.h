// The particles as columns: the one list of what a particle has. Everything that moves particles about visits this list.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/aligned.h"
#include "math/lattice.h"

namespace firn {

// Columns may be read (not written) this far past the end, so that a last, partly filled Pack needs no special case.
inline constexpr std::size_t kColumnPadding = 16;

template <class T>
class Column {
 public:
  void resize(std::size_t n) { data_.resize(n == 0 ? 0 : n + kColumnPadding, T{}); }
  bool empty() const { return data_.empty(); }
  T* data() { return data_.data(); }
  const T* data() const { return data_.data(); }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t bytes() const { return data_.capacity() * sizeof(T); }

 private:
  std::vector<T, AlignedAllocator<T>> data_;
};

template <class T, int D>
struct Particles {
  std::array<Column<std::int32_t>, D> cell;  // lattice cell, counted from the world's origin
  std::array<Column<T>, D> offset;           // in the cell, [0, 1)
  std::array<Column<T>, D> velocity;         // m/s
  std::array<Column<T>, D * D> F_E;
  std::array<Column<T>, D * D> B;  // APIC only
  Column<T> J_P;
  Column<T> mass;    // kg (2D: per metre of depth)
  Column<T> volume;  // V⁰, m³ (2D: m²)
  Column<std::uint32_t> id;
  Column<std::uint16_t> material;

  std::size_t size() const { return size_; }

  void resize(std::size_t n, bool with_affine) {
    size_ = n;
    for_each_column(*this, *this, [&](auto& column, auto&) { column.resize(with_affine || !is_affine(&column) ? n : 0); });
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for_each_column(*this, *this, [&](auto& column, auto&) { sum += column.bytes(); });
    return sum;
  }

  Mat<T, D> deformation(std::size_t i) const {
    Mat<T, D> F;
    for (int k = 0; k < D * D; ++k) F.a[k] = F_E[k][i];
    return F;
  }

  // Calls f(column of a, same column of b) for every column that a step changes …
  template <class A, class B, class F>
  static void for_each_dynamic_column(A& a, B& b, F f) {
    auto each = [&](auto& x, auto& y) {
      for (std::size_t k = 0; k < x.size(); ++k) f(x[k], y[k]);
    };
    each(a.cell, b.cell);
    each(a.offset, b.offset);
    each(a.velocity, b.velocity);
    each(a.F_E, b.F_E);
    each(a.B, b.B);
    f(a.J_P, b.J_P);
  }
  // … and for every column.
  template <class A, class B, class F>
  static void for_each_column(A& a, B& b, F f) {
    for_each_dynamic_column(a, b, f);
    f(a.mass, b.mass);
    f(a.volume, b.volume);
    f(a.id, b.id);
    f(a.material, b.material);
  }

 private:
  bool is_affine(const void* column) const { return column >= B.data() && column < B.data() + B.size(); }

  std::size_t size_ = 0;
};

}  // namespace firn
