// Nodes as stencils want them. A Row is four neighbours on the last axis with four channels each; a tile has one for every cell of a block
// on every line of nodes, so that every Row is aligned. The price is that a node is there up to four times.
#pragma once

#include <algorithm>
#include <utility>

#include "grid/block.h"
#include "math/pack.h"

namespace firn::cpu {

// A Row is four neighbouring nodes of the grid's last axis with four channels each, node by node: what a stencil reads and writes
// at once.

inline constexpr int kChannels = 4;  // per node: mass or padding, then one per axis
inline constexpr int kRowNodes = 4;

template <class T>
using Row = Pack<T, kRowNodes * kChannels>;

namespace detail {

template <class T>
struct Quad {
  typedef T Vector __attribute__((vector_size(4 * sizeof(T))));
};

// Four numbers over and over in a register; without the intrinsics g++ 12 goes through memory and stalls.
template <class Part, class T>
inline Part repeat_quad(const T* x) {
#ifdef __AVX512F__
  if constexpr (sizeof(Part) == 64 && sizeof(T) == 4) return (Part)_mm512_maskz_broadcast_f32x4(0xffff, _mm_loadu_ps(x));
  if constexpr (sizeof(Part) == 64 && sizeof(T) == 8) return (Part)_mm512_maskz_broadcast_f64x4(0xff, _mm256_loadu_pd(x));
#endif
#ifdef __AVX__
  if constexpr (sizeof(Part) == 32 && sizeof(T) == 4) return (Part)_mm256_broadcast_ps(reinterpret_cast<const __m128*>(x));
#endif
  Part p;
  std::memcpy(&p, x, sizeof p);
  return p;
}

// Part number `First / lanes` of the row that has x[k] in every channel of node k.
template <class Part, int First, class T, int... Lane>
inline Part spread_part(const T* x, std::integer_sequence<int, Lane...>) {
  if constexpr (sizeof...(Lane) <= 4)
    return x[First / kChannels] - Part{};
  else
    return __builtin_shuffle(repeat_quad<Part>(x), typename PackLayout<T, sizeof...(Lane)>::IntPart{((First + Lane) / kChannels)...});
}

// Channel 0 of each node of a part in all its channels.
template <class T, class Part, int... Lane>
inline Part spread_first_channel(Part x, std::integer_sequence<int, Lane...>) {
  return __builtin_shuffle(x, typename PackLayout<T, sizeof...(Lane)>::IntPart{Lane / kChannels * kChannels...});
}

template <class V, int... Lane>
inline auto fold_half(V x, std::integer_sequence<int, Lane...>) {
  constexpr int half = sizeof...(Lane);
  return __builtin_shufflevector(x, x, Lane...) + __builtin_shufflevector(x, x, (Lane + half)...);
}

}  // namespace detail

// Node k of the row holds x[k] in every channel.
template <class T>
inline Row<T> spread_nodes(const T* x) {
  using Layout = typename Row<T>::Layout;
  using Lanes = std::make_integer_sequence<int, Layout::kPart>;
  Row<T> row;
  [&]<int... Part>(std::integer_sequence<int, Part...>) {
    ((row.p[Part] = detail::spread_part<typename Layout::Part, Part * Layout::kPart>(x, Lanes{})), ...);
  }
  (std::make_integer_sequence<int, Layout::kParts>{});
  return row;
}

// Every channel of a node holds what its channel 0 holds.
template <class T>
inline Row<T> spread_first_channel(const Row<T>& row) {
  using Layout = typename Row<T>::Layout;
  Row<T> r;
  for (int part = 0; part < Layout::kParts; ++part) {
    if constexpr (Layout::kPart >= kChannels) {
      r.p[part] = detail::spread_first_channel<T>(row.p[part], std::make_integer_sequence<int, Layout::kPart>{});
    } else {
      r.p[part] = row[part * Layout::kPart / kChannels * kChannels] - typename Layout::Part{};
    }
  }
  return r;
}

// Every node of the row holds the channels x[0…3].
template <class T>
inline Row<T> repeat_channels(const T* x) {
  using Layout = typename Row<T>::Layout;
  Row<T> row;
  for (int part = 0; part < Layout::kParts; ++part)
    row.p[part] = detail::repeat_quad<typename Layout::Part>(x + part * Layout::kPart % kChannels);
  return row;
}

namespace detail {

// Elements first, first+1, … of a and b in turn.
template <int First, class V, int... I>
inline V interleave(V a, V b, std::integer_sequence<int, I...>) {
  constexpr int n = sizeof...(I);
  return __builtin_shufflevector(a, b, (First + I / 2 + (I % 2) * n)...);
}

// The same with pairs of elements.
template <int First, class V, int... I>
inline V interleave_pairs(V a, V b, std::integer_sequence<int, I...>) {
  constexpr int n = sizeof...(I);
  return __builtin_shufflevector(a, b, (First + I / 4 * 2 + I % 2 + (I % 4 / 2) * n)...);
}

// The inverse: elements k, k+4, … of a, then of b; then the same for k+1.
template <int K, class V, int... I>
inline V pick_two(V a, V b, std::integer_sequence<int, I...>) {
  constexpr int n = sizeof...(I), quarter = n / 4;
  return __builtin_shufflevector(a, b, (K + I / (n / 2) + (I % quarter) * 4 + (I / quarter % 2) * n)...);
}

template <int First, class V, int... I>
inline V join_halves(V a, V b, std::integer_sequence<int, I...>) {
  constexpr int n = sizeof...(I), half = n / 2;
  return __builtin_shufflevector(a, b, (First + I % half + (I / half) * n)...);
}

}  // namespace detail

// From lanes to quads: to[4·l + c] = x[c] of lane l.
template <class T, int W>
inline void lanes_to_quads(const Pack<T, W>& x0, const Pack<T, W>& x1, const Pack<T, W>& x2, const Pack<T, W>& x3, T* to) {
  constexpr int n = PackLayout<T, W>::kPart;
  if constexpr (n < 4) {
    for (int l = 0; l < W; ++l) {
      to[4 * l] = x0[l];
      to[4 * l + 1] = x1[l];
      to[4 * l + 2] = x2[l];
      to[4 * l + 3] = x3[l];
    }
  } else {
    constexpr auto all = std::make_integer_sequence<int, n>{};
    for (int i = 0; i < PackLayout<T, W>::kParts; ++i, to += 4 * n) {
      const auto low01 = detail::interleave<0>(x0.p[i], x1.p[i], all), high01 = detail::interleave<n / 2>(x0.p[i], x1.p[i], all);
      const auto low23 = detail::interleave<0>(x2.p[i], x3.p[i], all), high23 = detail::interleave<n / 2>(x2.p[i], x3.p[i], all);
      const auto store = [to](int k, typename PackLayout<T, W>::Part quads) { std::memcpy(to + k * n, &quads, sizeof quads); };
      store(0, detail::interleave_pairs<0>(low01, low23, all));
      store(1, detail::interleave_pairs<n / 2>(low01, low23, all));
      store(2, detail::interleave_pairs<0>(high01, high23, all));
      store(3, detail::interleave_pairs<n / 2>(high01, high23, all));
    }
  }
}

// And back: x[c] of lane l = from[4·l + c].
template <class T, int W>
inline void quads_to_lanes(const T* from, Pack<T, W>* x) {
  constexpr int n = PackLayout<T, W>::kPart;
  if constexpr (n < 4) {
    for (int l = 0; l < W; ++l)
      for (int c = 0; c < 4; ++c) x[c].set(l, from[4 * l + c]);
  } else {
    constexpr auto all = std::make_integer_sequence<int, n>{};
    for (int i = 0; i < PackLayout<T, W>::kParts; ++i, from += 4 * n) {
      typename PackLayout<T, W>::Part v[4];
      std::memcpy(v, from, sizeof v);
      const auto low01 = detail::pick_two<0>(v[0], v[1], all), low23 = detail::pick_two<2>(v[0], v[1], all);
      const auto high01 = detail::pick_two<0>(v[2], v[3], all), high23 = detail::pick_two<2>(v[2], v[3], all);
      x[0].p[i] = detail::join_halves<0>(low01, high01, all);
      x[1].p[i] = detail::join_halves<n / 2>(low01, high01, all);
      x[2].p[i] = detail::join_halves<0>(low23, high23, all);
      x[3].p[i] = detail::join_halves<n / 2>(low23, high23, all);
    }
  }
}

// The sum over the four nodes, channel by channel.
template <class T>
inline typename detail::Quad<T>::Vector sum_nodes(const Row<T>& row) {
  auto sum = row.p[0];
  for (int i = 1; i < Row<T>::Layout::kParts; ++i) sum += row.p[i];
  constexpr int kPart = Row<T>::Layout::kPart;
  if constexpr (kPart == 16) {
    return detail::fold_half(detail::fold_half(sum, std::make_integer_sequence<int, 8>{}), std::make_integer_sequence<int, 4>{});
  } else if constexpr (kPart == 8) {
    return detail::fold_half(sum, std::make_integer_sequence<int, 4>{});
  } else if constexpr (kPart == 4) {
    return sum;
  } else {  // two channels a part: even parts hold channels 0 and 1
    auto low = row.p[0], high = row.p[1];
    for (int i = 2; i < Row<T>::Layout::kParts; i += 2) {
      low += row.p[i];
      high += row.p[i + 1];
    }
    return typename detail::Quad<T>::Vector{low[0], low[1], high[0], high[1]};
  }
}

template <class T>
inline void store_sum_of_nodes(const Row<T>& row, T* to) {
  const auto sum = sum_nodes(row);
  std::memcpy(to, &sum, sizeof sum);
}

template <class T, int D>
struct RowTile {
  using Shape = BlockShape<D>;
  static constexpr int kLines = D == 3 ? Shape::kTileEdge * Shape::kTileEdge : Shape::kTileEdge;
  static constexpr int kRow = kRowNodes * kChannels;       // values from a Row to the next
  static constexpr int kLine = Shape::kEdge * kRow;        // from a line to the next
  static constexpr int kPlane = Shape::kTileEdge * kLine;  // 3D: from one value of the first axis to the next
  static constexpr int kNodeLine = Shape::kTileRow * kChannels;

  alignas(64) T values[kLines * kLine];

  void clear() { std::fill_n(values, kLines * kLine, T(0)); }

  // From and to plain nodes, kTileNodes of kChannels each; fold() sets the padding to zero.
  void unfold(const T* nodes) {
    for (int line = 0; line < kLines; ++line)
      for (int cell = 0; cell < Shape::kEdge; ++cell)
        Row<T>::load(nodes + line * kNodeLine + cell * kChannels).store(values + line * kLine + cell * kRow);
  }
  void fold(T* nodes) const {
    using Quad = Pack<T, kChannels>;
    for (int line = 0; line < kLines; ++line) {
      Quad sums[Shape::kTileRow];
      for (Quad& sum : sums) sum = Quad(T(0));
      for (int cell = 0; cell < Shape::kEdge; ++cell)
        for (int k = 0; k < kRowNodes; ++k)
          sums[cell + k] = sums[cell + k] + Quad::load(values + line * kLine + cell * kRow + k * kChannels);
      for (int n = 0; n < Shape::kTileRow; ++n) sums[n].store(nodes + line * kNodeLine + n * kChannels);
    }
  }
};

// The steps between plain nodes, with the same names: a few particles do not pay for the copies of a RowTile.
template <class T, int D>
struct PlainTile {
  using Shape = BlockShape<D>;
  static constexpr int kRow = kChannels;
  static constexpr int kLine = Shape::kTileRow * kChannels;
  static constexpr int kPlane = Shape::kTileEdge * kLine;
};

}  // namespace firn::cpu
