// The few scalar functions that formulas use, under one name for numbers and for Packs (see pack.h).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#ifdef __CUDACC__
#define FIRN_HD __host__ __device__
#else
#define FIRN_HD
#endif

namespace firn {

// The number type inside T: T itself, or the element of a Pack.
template <class T>
struct ScalarOf {
  using type = T;
};
template <class T>
using Scalar = typename ScalarOf<T>::type;

template <class T>
inline constexpr Scalar<T> kEpsilon = std::numeric_limits<Scalar<T>>::epsilon();

FIRN_HD inline float select(bool m, float a, float b) { return m ? a : b; }
FIRN_HD inline double select(bool m, double a, double b) { return m ? a : b; }
FIRN_HD inline bool any(bool m) { return m; }

FIRN_HD inline float sqrt(float x) { return ::sqrtf(x); }
FIRN_HD inline double sqrt(double x) { return ::sqrt(x); }
FIRN_HD inline float inverse_sqrt(float x) { return 1 / sqrt(x); }
FIRN_HD inline double inverse_sqrt(double x) { return 1 / sqrt(x); }
FIRN_HD inline float abs(float x) { return ::fabsf(x); }
FIRN_HD inline double abs(double x) { return ::fabs(x); }
FIRN_HD inline float min(float a, float b) { return b < a ? b : a; }
FIRN_HD inline double min(double a, double b) { return b < a ? b : a; }
FIRN_HD inline float max(float a, float b) { return a < b ? b : a; }
FIRN_HD inline double max(double a, double b) { return a < b ? b : a; }

template <class T>
FIRN_HD inline T clamp(T x, T lo, T hi) {
  return min(max(x, lo), hi);
}

}  // namespace firn
