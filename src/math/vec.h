// Small fixed vectors and square matrices over numbers or Packs, stored row by row; boxes along the axes.
#pragma once

#include "math/scalar.h"

namespace firn {

template <class T, int N>
struct Vec {
  T a[N];

  FIRN_HD constexpr T& operator[](int i) { return a[i]; }
  FIRN_HD constexpr const T& operator[](int i) const { return a[i]; }

  FIRN_HD static constexpr Vec filled(T value) {
    Vec r{};
    for (int i = 0; i < N; ++i) r[i] = value;
    return r;
  }
  FIRN_HD static constexpr Vec zero() { return filled(T(0)); }
};

template <class T, int N>
FIRN_HD constexpr Vec<T, N> operator+(const Vec<T, N>& x, const Vec<T, N>& y) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r[i] = x[i] + y[i];
  return r;
}
template <class T, int N>
FIRN_HD constexpr Vec<T, N> operator-(const Vec<T, N>& x, const Vec<T, N>& y) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r[i] = x[i] - y[i];
  return r;
}
template <class T, int N>
FIRN_HD constexpr Vec<T, N> operator-(const Vec<T, N>& x) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r[i] = -x[i];
  return r;
}
template <class T, int N>
FIRN_HD constexpr Vec<T, N> operator*(const T& s, const Vec<T, N>& x) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r[i] = s * x[i];
  return r;
}
template <class T, int N>
FIRN_HD constexpr Vec<T, N>& operator+=(Vec<T, N>& x, const Vec<T, N>& y) {
  for (int i = 0; i < N; ++i) x[i] = x[i] + y[i];
  return x;
}
template <class T, int N>
FIRN_HD constexpr Vec<T, N>& operator-=(Vec<T, N>& x, const Vec<T, N>& y) {
  for (int i = 0; i < N; ++i) x[i] = x[i] - y[i];
  return x;
}
template <class T, int N>
FIRN_HD constexpr T dot(const Vec<T, N>& x, const Vec<T, N>& y) {
  T r = x[0] * y[0];
  for (int i = 1; i < N; ++i) r = r + x[i] * y[i];
  return r;
}
template <class T, int N>
FIRN_HD inline T norm(const Vec<T, N>& x) {
  return sqrt(dot(x, x));
}
template <class T>
FIRN_HD constexpr Vec<T, 3> cross(const Vec<T, 3>& x, const Vec<T, 3>& y) {
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}

template <class T, int N>
struct Mat {
  T a[N * N];

  FIRN_HD constexpr T& operator()(int i, int j) { return a[i * N + j]; }
  FIRN_HD constexpr const T& operator()(int i, int j) const { return a[i * N + j]; }

  FIRN_HD static constexpr Mat zero() {
    Mat r{};
    for (int i = 0; i < N * N; ++i) r.a[i] = T(0);
    return r;
  }
  FIRN_HD static constexpr Mat diagonal(const Vec<T, N>& d) {
    Mat r = zero();
    for (int i = 0; i < N; ++i) r(i, i) = d[i];
    return r;
  }
  FIRN_HD static constexpr Mat identity() { return diagonal(Vec<T, N>::filled(T(1))); }
};

template <class T, int N>
FIRN_HD constexpr Mat<T, N> operator+(const Mat<T, N>& x, const Mat<T, N>& y) {
  Mat<T, N> r;
  for (int i = 0; i < N * N; ++i) r.a[i] = x.a[i] + y.a[i];
  return r;
}
template <class T, int N>
FIRN_HD constexpr Mat<T, N> operator-(const Mat<T, N>& x, const Mat<T, N>& y) {
  Mat<T, N> r;
  for (int i = 0; i < N * N; ++i) r.a[i] = x.a[i] - y.a[i];
  return r;
}
template <class T, int N>
FIRN_HD constexpr Mat<T, N> operator-(const Mat<T, N>& x) {
  Mat<T, N> r;
  for (int i = 0; i < N * N; ++i) r.a[i] = -x.a[i];
  return r;
}
template <class T, int N>
FIRN_HD constexpr Mat<T, N> operator*(const T& s, const Mat<T, N>& x) {
  Mat<T, N> r;
  for (int i = 0; i < N * N; ++i) r.a[i] = s * x.a[i];
  return r;
}
template <class T, int N>
FIRN_HD constexpr Mat<T, N>& operator+=(Mat<T, N>& x, const Mat<T, N>& y) {
  for (int i = 0; i < N * N; ++i) x.a[i] = x.a[i] + y.a[i];
  return x;
}
template <class T, int N>
FIRN_HD constexpr Mat<T, N> transpose(const Mat<T, N>& x) {
  Mat<T, N> r;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) r(i, j) = x(j, i);
  return r;
}
template <class T, int N>
FIRN_HD constexpr Mat<T, N> operator*(const Mat<T, N>& x, const Mat<T, N>& y) {
  Mat<T, N> r;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      T s = x(i, 0) * y(0, j);
      for (int k = 1; k < N; ++k) s = s + x(i, k) * y(k, j);
      r(i, j) = s;
    }
  return r;
}
template <class T, int N>
FIRN_HD constexpr Vec<T, N> operator*(const Mat<T, N>& x, const Vec<T, N>& y) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) {
    T s = x(i, 0) * y[0];
    for (int k = 1; k < N; ++k) s = s + x(i, k) * y[k];
    r[i] = s;
  }
  return r;
}
template <class T, int N>
FIRN_HD constexpr Mat<T, N> outer(const Vec<T, N>& x, const Vec<T, N>& y) {
  Mat<T, N> r;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) r(i, j) = x[i] * y[j];
  return r;
}
// x : y, the sum of products of all entries.
template <class T, int N>
FIRN_HD constexpr T contract(const Mat<T, N>& x, const Mat<T, N>& y) {
  T r = x.a[0] * y.a[0];
  for (int i = 1; i < N * N; ++i) r = r + x.a[i] * y.a[i];
  return r;
}
template <class T, int N>
FIRN_HD constexpr Vec<T, N> column(const Mat<T, N>& x, int j) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r[i] = x(i, j);
  return r;
}
template <class T, int N>
FIRN_HD constexpr void set_column(Mat<T, N>& x, int j, const Vec<T, N>& c) {
  for (int i = 0; i < N; ++i) x(i, j) = c[i];
}

// cof(F) = det(F) F⁻ᵀ, defined for singular F too.
template <class T>
FIRN_HD constexpr Mat<T, 2> cofactor(const Mat<T, 2>& F) {
  return {{F(1, 1), -F(1, 0), -F(0, 1), F(0, 0)}};
}
template <class T>
FIRN_HD constexpr Mat<T, 3> cofactor(const Mat<T, 3>& F) {
  Mat<T, 3> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      r(i, j) = F(i1, j1) * F(i2, j2) - F(i1, j2) * F(i2, j1);
    }
  return r;
}
template <class T>
FIRN_HD constexpr T determinant(const Mat<T, 2>& F) {
  return F(0, 0) * F(1, 1) - F(0, 1) * F(1, 0);
}
template <class T>
FIRN_HD constexpr T determinant(const Mat<T, 3>& F) {
  return F(0, 0) * (F(1, 1) * F(2, 2) - F(1, 2) * F(2, 1)) - F(0, 1) * (F(1, 0) * F(2, 2) - F(1, 2) * F(2, 0)) +
         F(0, 2) * (F(1, 0) * F(2, 1) - F(1, 1) * F(2, 0));
}

// A box along the axes.

struct Bounds {
  Vec<double, 3> lower, upper;
};

}  // namespace firn
