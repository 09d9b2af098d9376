// A Row is four neighbouring nodes of the grid's last axis with four channels each, node by node: what a stencil reads and writes
// at once.
#pragma once

#include <utility>

#include "math/pack.h"

namespace firn::cpu {

inline constexpr int kChannels = 4;  // per node: mass or padding, then one per axis
inline constexpr int kRowNodes = 4;

template <class T>
using Row = Pack<T, kRowNodes * kChannels>;

namespace detail {

template <class T>
struct Quad {
  typedef T Vector __attribute__((vector_size(4 * sizeof(T))));
};

template <class T, int Part, int... Lane>
inline void spread_part(Row<T>& row, typename Quad<T>::Vector x, std::integer_sequence<int, Lane...>) {
  constexpr int first = Part * Row<T>::Layout::kPart;
  row.p[Part] = __builtin_shufflevector(x, x, ((first + Lane) / kChannels)...);
}

template <class T, int Part, int... Lane>
inline void repeat_part(Row<T>& row, typename Quad<T>::Vector x, std::integer_sequence<int, Lane...>) {
  row.p[Part] = __builtin_shufflevector(x, x, (Lane % kChannels)...);
}

template <class V, int... Lane>
inline auto fold_half(V x, std::integer_sequence<int, Lane...>) {
  constexpr int half = sizeof...(Lane);
  return __builtin_shufflevector(x, x, Lane...) + __builtin_shufflevector(x, x, (Lane + half)...);
}

template <class T>
inline typename Quad<T>::Vector load_quad(const T* x) {
  typename Quad<T>::Vector v;
  std::memcpy(&v, x, sizeof v);
  return v;
}

}  // namespace detail

// Node k of the row holds x[k] in every channel.
template <class T>
inline Row<T> spread_nodes(const T* x) {
  using Lanes = std::make_integer_sequence<int, Row<T>::Layout::kPart>;
  Row<T> row;
  [&]<int... Part>(std::integer_sequence<int, Part...>) {
    (detail::spread_part<T, Part>(row, detail::load_quad(x), Lanes{}), ...);
  }(std::make_integer_sequence<int, Row<T>::Layout::kParts>{});
  return row;
}

// Every node of the row holds the channels x[0…3].
template <class T>
inline Row<T> repeat_channels(const T* x) {
  using Lanes = std::make_integer_sequence<int, Row<T>::Layout::kPart>;
  Row<T> row;
  [&]<int... Part>(std::integer_sequence<int, Part...>) {
    (detail::repeat_part<T, Part>(row, detail::load_quad(x), Lanes{}), ...);
  }(std::make_integer_sequence<int, Row<T>::Layout::kParts>{});
  return row;
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

}  // namespace firn::cpu
