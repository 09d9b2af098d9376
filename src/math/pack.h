// Pack<T, W>: W numbers that go through a formula together. Written with the compiler's vector types so that formulas stay plain
// operators; a Pack wider than the machine's registers is several of them. Host only: device code uses plain numbers.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "math/scalar.h"

namespace firn {

#if defined(__AVX512F__)
inline constexpr int kSimdBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kSimdBytes = 32;
#else
inline constexpr int kSimdBytes = 16;
#endif

template <class T, int W>
struct PackLayout {
  static constexpr int kPart = W < kSimdBytes / int(sizeof(T)) ? W : kSimdBytes / int(sizeof(T));
  static constexpr int kParts = W / kPart;
  using Int = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Part __attribute__((vector_size(kPart * sizeof(T))));
  typedef Int IntPart __attribute__((vector_size(kPart * sizeof(T))));
};

template <class T, int W>
struct Mask {
  using Layout = PackLayout<T, W>;
  typename Layout::IntPart p[Layout::kParts];

  bool operator[](int lane) const { return p[lane / Layout::kPart][lane % Layout::kPart] != 0; }
};

template <class T, int W>
struct Pack {
  using Layout = PackLayout<T, W>;
  static constexpr int kLanes = W;
  typename Layout::Part p[Layout::kParts];

  Pack() = default;
  Pack(T s) {  // NOLINT: a number stands for itself in every lane
    for (auto& part : p) part = s - typename Layout::Part{};
  }

  static Pack load(const T* from) {
    Pack r;
    for (int i = 0; i < Layout::kParts; ++i) std::memcpy(&r.p[i], from + i * Layout::kPart, sizeof r.p[i]);
    return r;
  }
  void store(T* to) const {
    for (int i = 0; i < Layout::kParts; ++i) std::memcpy(to + i * Layout::kPart, &p[i], sizeof p[i]);
  }
  T operator[](int lane) const { return p[lane / Layout::kPart][lane % Layout::kPart]; }
  void set(int lane, T value) { p[lane / Layout::kPart][lane % Layout::kPart] = value; }
};

// The same numbers in another type.
template <class U, class T, int W>
inline Pack<U, W> convert_pack(const Pack<T, W>& a) {
  using From = PackLayout<T, W>;
  using To = PackLayout<U, W>;
  Pack<U, W> r;
  if constexpr (From::kPart == To::kPart) {
    for (int i = 0; i < From::kParts; ++i) r.p[i] = __builtin_convertvector(a.p[i], typename To::Part);
  } else if constexpr (From::kPart == 2 * To::kPart) {
    typedef T Half __attribute__((vector_size(To::kPart * sizeof(T))));
    for (int i = 0; i < From::kParts; ++i) {
      Half halves[2];
      std::memcpy(halves, &a.p[i], sizeof halves);
      for (int k = 0; k < 2; ++k) r.p[2 * i + k] = __builtin_convertvector(halves[k], typename To::Part);
    }
  } else {
    for (int i = 0; i < W; ++i) r.set(i, static_cast<U>(a[i]));
  }
  return r;
}

// Lane numbers 0, 1, 2 …
template <class T, int W>
inline Pack<T, W> lane_numbers() {
  Pack<T, W> r;
  for (int i = 0; i < W; ++i) r.set(i, T(i));
  return r;
}

template <class T, int W>
struct ScalarOf<Pack<T, W>> {
  using type = T;
};

#define FIRN_PACK_OPERATOR(op)                                                    \
  template <class T, int W>                                                       \
  inline Pack<T, W> operator op(const Pack<T, W>& a, const Pack<T, W>& b) {       \
    Pack<T, W> r;                                                                 \
    for (int i = 0; i < PackLayout<T, W>::kParts; ++i) r.p[i] = a.p[i] op b.p[i]; \
    return r;                                                                     \
  }                                                                               \
  template <class T, int W>                                                       \
  inline Pack<T, W> operator op(std::type_identity_t<T> a, const Pack<T, W>& b) { \
    return Pack<T, W>(a) op b;                                                    \
  }                                                                               \
  template <class T, int W>                                                       \
  inline Pack<T, W> operator op(const Pack<T, W>& a, std::type_identity_t<T> b) { \
    return a op Pack<T, W>(b);                                                    \
  }
FIRN_PACK_OPERATOR(+)
FIRN_PACK_OPERATOR(-)
FIRN_PACK_OPERATOR(*)
FIRN_PACK_OPERATOR(/)
#undef FIRN_PACK_OPERATOR

#define FIRN_PACK_COMPARISON(op)                                                  \
  template <class T, int W>                                                       \
  inline Mask<T, W> operator op(const Pack<T, W>& a, const Pack<T, W>& b) {       \
    Mask<T, W> r;                                                                 \
    for (int i = 0; i < PackLayout<T, W>::kParts; ++i) r.p[i] = a.p[i] op b.p[i]; \
    return r;                                                                     \
  }
FIRN_PACK_COMPARISON(<)
FIRN_PACK_COMPARISON(<=)
FIRN_PACK_COMPARISON(>)
FIRN_PACK_COMPARISON(>=)
#undef FIRN_PACK_COMPARISON

template <class T, int W>
inline Pack<T, W> operator-(const Pack<T, W>& a) {
  Pack<T, W> r;
  for (int i = 0; i < PackLayout<T, W>::kParts; ++i) r.p[i] = -a.p[i];
  return r;
}

template <class T, int W>
inline Mask<T, W> operator&(const Mask<T, W>& a, const Mask<T, W>& b) {
  Mask<T, W> r;
  for (int i = 0; i < PackLayout<T, W>::kParts; ++i) r.p[i] = a.p[i] & b.p[i];
  return r;
}
template <class T, int W>
inline Mask<T, W> operator|(const Mask<T, W>& a, const Mask<T, W>& b) {
  Mask<T, W> r;
  for (int i = 0; i < PackLayout<T, W>::kParts; ++i) r.p[i] = a.p[i] | b.p[i];
  return r;
}
template <class T, int W>
inline Mask<T, W> operator!(const Mask<T, W>& a) {
  Mask<T, W> r;
  for (int i = 0; i < PackLayout<T, W>::kParts; ++i) r.p[i] = ~a.p[i];
  return r;
}
template <class T, int W>
inline bool any(const Mask<T, W>& m) {
  auto sum = m.p[0];
  for (int i = 1; i < PackLayout<T, W>::kParts; ++i) sum |= m.p[i];
#ifdef __AVX512F__
  if constexpr (sizeof sum == 64) return _mm512_test_epi32_mask((__m512i)sum, (__m512i)sum) != 0;
#endif
#ifdef __AVX2__
  if constexpr (sizeof sum == 32) return _mm256_movemask_epi8((__m256i)sum) != 0;
#endif
  if constexpr (sizeof sum == 16) return _mm_movemask_epi8((__m128i)sum) != 0;
}

template <class T, int W>
inline Pack<T, W> select(const Mask<T, W>& m, const Pack<T, W>& a, const Pack<T, W>& b) {
  Pack<T, W> r;
  for (int i = 0; i < PackLayout<T, W>::kParts; ++i) r.p[i] = m.p[i] ? a.p[i] : b.p[i];
  return r;
}
template <class T, int W>
inline Pack<T, W> min(const Pack<T, W>& a, const Pack<T, W>& b) {
  return select(b < a, b, a);
}
template <class T, int W>
inline Pack<T, W> max(const Pack<T, W>& a, const Pack<T, W>& b) {
  return select(a < b, b, a);
}
template <class T, int W>
inline T horizontal_max(const Pack<T, W>& a) {
  T m = a[0];
  for (int i = 1; i < W; ++i) m = max(m, a[i]);
  return m;
}
template <class T, int W>
inline Pack<T, W> abs(const Pack<T, W>& a) {
  return max(a, -a);
}

namespace detail {

template <class Part>
inline Part sqrt_part(Part x) {
  using T = std::remove_cvref_t<decltype(x[0])>;
  constexpr bool is_float = sizeof(T) == 4;
#ifdef __AVX512F__  // the masked forms, because the plain ones make g++ 12 warn of uninitialized values
  if constexpr (sizeof(Part) == 64 && is_float) return (Part)_mm512_maskz_sqrt_ps(0xffff, (__m512)x);
  if constexpr (sizeof(Part) == 64 && !is_float) return (Part)_mm512_maskz_sqrt_pd(0xff, (__m512d)x);
#endif
#ifdef __AVX__
  if constexpr (sizeof(Part) == 32 && is_float) return (Part)_mm256_sqrt_ps((__m256)x);
  if constexpr (sizeof(Part) == 32 && !is_float) return (Part)_mm256_sqrt_pd((__m256d)x);
#endif
  if constexpr (sizeof(Part) == 16 && is_float) return (Part)_mm_sqrt_ps((__m128)x);
  if constexpr (sizeof(Part) == 16 && !is_float) return (Part)_mm_sqrt_pd((__m128d)x);
}

// 1/sqrt(x): for floats the machine's guess and one Newton step, good to about an ulp and several times quicker than dividing.
template <class Part>
inline Part inverse_sqrt_part(Part x) {
#ifdef __AVX512F__
  using T = std::remove_cvref_t<decltype(x[0])>;
  if constexpr (sizeof(Part) == 64 && sizeof(T) == 4) {
    const Part guess = (Part)_mm512_maskz_rsqrt14_ps(0xffff, (__m512)x);
    return guess * (T(1.5) - (T(0.5) * x * guess) * guess);
  }
#endif
  return 1 / sqrt_part(x);
}

}  // namespace detail

template <class T, int W>
inline Pack<T, W> inverse_sqrt(const Pack<T, W>& a) {
  Pack<T, W> r;
  for (int i = 0; i < PackLayout<T, W>::kParts; ++i) r.p[i] = detail::inverse_sqrt_part(a.p[i]);
  return r;
}
template <class T, int W>
inline Pack<T, W> sqrt(const Pack<T, W>& a) {
  Pack<T, W> r;
  for (int i = 0; i < PackLayout<T, W>::kParts; ++i) r.p[i] = detail::sqrt_part(a.p[i]);
  return r;
}

// Rounds to the nearest whole number; |a| must be below 2^22.
template <class T, int W>
inline Pack<T, W> round_small(const Pack<T, W>& a) {
  const Pack<T, W> magic(sizeof(T) == 4 ? T(12582912) : T(6755399441055744));  // 1.5 · 2^(mantissa bits)
  return (a + magic) - magic;
}

// to[l] = from[l] + whole number n of lane l, in 32-bit integers.
template <class T, int W>
inline void add_whole(const std::int32_t* from, const Pack<T, W>& n, std::int32_t* to) {
  constexpr int kPart = PackLayout<T, W>::kPart;
  typedef std::int32_t Int __attribute__((vector_size(kPart * 4)));
  for (int i = 0; i < PackLayout<T, W>::kParts; ++i) {
    Int x;
    std::memcpy(&x, from + i * kPart, sizeof x);
    x += __builtin_convertvector(n.p[i], Int);
    std::memcpy(to + i * kPart, &x, sizeof x);
  }
}

// 2^n for whole n in the normal range.
template <class T, int W>
inline Pack<T, W> exp2_whole(const Pack<T, W>& n) {
  using Layout = PackLayout<T, W>;
  using Int = typename Layout::Int;
  constexpr Int bias = sizeof(T) == 4 ? 127 : 1023;
  constexpr int mantissa = sizeof(T) == 4 ? 23 : 52;
  Pack<T, W> r;
  for (int i = 0; i < Layout::kParts; ++i) {
    const typename Layout::IntPart bits = (__builtin_convertvector(n.p[i], typename Layout::IntPart) + bias) << mantissa;
    r.p[i] = (typename Layout::Part)bits;
  }
  return r;
}

}  // namespace firn
