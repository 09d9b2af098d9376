// Functions of numbers under one name for numbers and for Packs (see pack.h), and an exp() that is the same for both.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#ifdef __CUDACC__
#define FIRN_HD __host__ __device__
// What few threads come to: called, so that the others do not pay for it in registers.
#define FIRN_RARE __noinline__
#else
#define FIRN_HD
#define FIRN_RARE inline
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
FIRN_HD inline float inverse_sqrt(float x) {
#ifdef __CUDA_ARCH__
  return ::rsqrtf(x);
#else
  return 1 / sqrt(x);
#endif
}
FIRN_HD inline double inverse_sqrt(double x) { return 1 / sqrt(x); }
FIRN_HD inline float cube_root(float x) {
#ifdef __CUDA_ARCH__
  return ::exp2f(::__log2f(x) * (1.0f / 3));
#else
  return ::cbrtf(x);
#endif
}
FIRN_HD inline double cube_root(double x) { return ::cbrt(x); }
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

// exp() as one formula for numbers and Packs, so that every backend hardens snow by the same factor.

FIRN_HD inline float round_small(float x) { return ::rintf(x); }
FIRN_HD inline double round_small(double x) { return ::rint(x); }
FIRN_HD inline float exp2_whole(float n) {
#ifdef __CUDA_ARCH__
  return __int_as_float((static_cast<int>(n) + 127) << 23);
#else
  return ::ldexpf(1.0f, static_cast<int>(n));
#endif
}
FIRN_HD inline double exp2_whole(double n) { return ::ldexp(1.0, static_cast<int>(n)); }

// exp(x) for |x| <= 80, to about two units in the last place.
template <class T>
FIRN_HD inline T exponential(const T& x) {
  using S = Scalar<T>;
  constexpr bool is_float = sizeof(S) == 4;
  constexpr S kLog2e = S(1.4426950408889634);
  constexpr S kLn2High = is_float ? S(0.693359375) : S(6.93147180369123816490e-01);  // few bits: n·kLn2High is exact
  constexpr S kLn2Low = is_float ? S(-2.12194440e-4) : S(1.90821492927058770002e-10);
  const T n = round_small(x * T(kLog2e));
  const T r = (x - n * T(kLn2High)) - n * T(kLn2Low);
  constexpr int kDegree = is_float ? 7 : 13;  // |r| <= ln(2)/2: the next Taylor term is below rounding
  T p = T(1);
  for (int k = kDegree; k > 0; --k) p = p * r * T(S(1) / S(k)) + T(1);
  return p * exp2_whole(n);
}

}  // namespace firn
