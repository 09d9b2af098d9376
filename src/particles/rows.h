// Between the columns of a state and rows, field by field.
#pragma once

#include "particles/storage.h"
#include "particles/table.h"

namespace firn {

namespace fields {

// f(component of the columns, the same of a row) of a field: rows always have three axes.
template <int D, class Columns, class Value, class F>
void for_each_pair(Columns& columns, Value& value, F f) {
  if constexpr (!requires { columns.size(); }) {
    f(columns, value);
  } else if constexpr (std::tuple_size_v<std::remove_const_t<Columns>> == D) {
    for (int i = 0; i < D; ++i) f(columns[i], value[i]);
  } else {
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) f(columns[i * D + j], value[3 * i + j]);
  }
}

template <class From, class To>
void assign(const From& from, To& to) {
  to = static_cast<To>(from);
}

// f(columns, value) for every field that both have; `own` is what the row has of its own where the columns are there.
template <class Ps, class Row, class Own, class F>
void for_each_in_row(Ps& ps, Row& row, Own& own, F f) {
#define FIRN_OF_ROW(member, ...) f(ps.member, row.member);
#define FIRN_OWN(member, ...) f(ps.member, own.member);
  FIRN_CORE_FIELDS(FIRN_OF_ROW, FIRN_NO_FIELD, FIRN_OF_ROW)
  if (ps.optional().affine) {
    FIRN_AFFINE_FIELDS(FIRN_OF_ROW, FIRN_NO_FIELD, FIRN_OF_ROW)
  }
  if (ps.optional().held) {
    FIRN_HELD_FIELDS(FIRN_OF_ROW, FIRN_NO_FIELD, FIRN_OF_ROW)
  }
  if (ps.optional().varied) {
    FIRN_VARIED_FIELDS(FIRN_OWN, FIRN_NO_FIELD, FIRN_OWN)
  }
#undef FIRN_OF_ROW
#undef FIRN_OWN
}

}  // namespace fields

// Slot k becomes the row; `own`: what it has of its own in a varied run.
template <class T, int D>
void from_row(const ParticleRow& row, const Variation& own, std::size_t id, std::size_t k, Particles<T, D>& ps) {
  fields::for_each_in_row(ps, row, own, [&](auto& columns, const auto& value) {
    fields::for_each_pair<D>(columns, value, [&](auto& column, const auto& x) { fields::assign(x, column[k]); });
  });
  ps.id[k] = static_cast<std::uint32_t>(id);
  for (int d = 0; d < D; ++d) {  // what rounds to 1 in this precision is in the next cell
    split_coordinate<T>(row.offset[d], false, ps.cell[d][k], ps.offset[d][k]);
    ps.cell[d][k] += row.cell[d];
  }
}

template <class T, int D>
ParticleRow to_row(const Particles<T, D>& ps, std::size_t k) {
  ParticleRow row;
  Variation own;
  fields::for_each_in_row(ps, row, own, [&](const auto& columns, auto& value) {
    fields::for_each_pair<D>(columns, value, [&](const auto& column, auto& x) { fields::assign(column[k], x); });
  });
  if (ps.optional().varied) row.own = own;
  return row;
}

}  // namespace firn
