#include "io/ply_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "firn/error.h"

namespace firn {
namespace {

// Entries 00 01 10 11 of a 3×3 matrix stored row by row: all that a 2D file needs to have.
constexpr bool in_plane(int entry) { return entry / 3 < 2 && entry % 3 < 2; }

// -1: no component has that name.
int find_part(std::string_view name) {
  for (const Attribute& a : kAttributes)
    for (int c = 0; c < a.components; ++c)
      if (a.parts[static_cast<std::size_t>(c)] == name) return first_part(a.field) + c;
  return -1;
}

}  // namespace

PlyRows::PlyRows(const std::string& file, const PlyElement& vertex) : file_(file), part_of_(vertex.properties.size(), -1) {
  for (std::size_t i = 0; i < vertex.properties.size(); ++i) {
    const PlyProperty& property = vertex.properties[i];
    const int part = find_part(property.name);
    if (part < 0) continue;
    if (property.is_list) throw UserError(fmt::format("{}: vertex property {} is a list, it must be one number", file_, property.name));
    part_of_[i] = part;
    has_[static_cast<std::size_t>(part)] = true;
    frame_.double_precision |= property.type == PlyType::kDouble;
  }
  if (!has(first_part(Field::kPosition))) throw UserError(fmt::format("{}: element vertex has no property x", file_));
  for (const Attribute& a : kAttributes) {
    if (a.components == 3) require_vector(a);
    if (a.components == 9) require_matrix(a);
    if (has(a)) present_.push_back(a.field);
  }
  if (const std::string wrong = complaint(present_); !wrong.empty()) throw UserError(fmt::format("{}: vertex properties {}", file_, wrong));
  for (int entry = 0; entry < 9; entry += 4) defaults_[static_cast<std::size_t>(first_part(Field::kFe) + entry)] = 1;
}

// A vector needs its first two components; the third is 0 in 2D.
void PlyRows::require_vector(const Attribute& vector) const {
  const int first = first_part(vector.field);
  const bool some = has(first) || has(first + 1) || has(first + 2);
  for (int c = 0; some && c < 2; ++c)
    if (!has(first + c))
      throw UserError(fmt::format("{}: element vertex has no property {}", file_, vector.parts[static_cast<std::size_t>(c)]));
}

void PlyRows::require_matrix(const Attribute& matrix) const {
  const int first = first_part(matrix.field);
  int count = 0, in_plane_count = 0;
  for (int entry = 0; entry < 9; ++entry) {
    count += has(first + entry);
    in_plane_count += in_plane(entry) && has(first + entry);
  }
  if (count == 0 || count == 9 || (count == 4 && in_plane_count == 4)) return;
  throw UserError(fmt::format("{0}: element vertex has only {1} of the properties {2}00 ... {2}22; allowed: all nine, or {2}00 {2}01 {2}10 {2}11",
                              file_, count, matrix.name));
}

double PlyRows::as_declared(double value) const {
  const bool fits = frame_.double_precision || std::abs(value) <= std::numeric_limits<float>::max() || std::isnan(value);
  return fits ? value : std::copysign(std::numeric_limits<double>::infinity(), value);
}

void PlyRows::allocate(std::size_t rows) {
  for (const Field field : present_) resize(frame_, field, rows);
}

void PlyRows::add(const RowValues& values, const PlyPlace& place) {
  for (const Field field : present_)
    for (int c = 0; c < attribute(field).components; ++c) {
      const double value = as_declared(values[static_cast<std::size_t>(first_part(field) + c)]);
      if (const std::string wrong = complaint(field, c, value); !wrong.empty())
        throw UserError(fmt::format("{}: at {} {}: vertex {}: {}", file_, place.unit, place.at, row_, wrong));
      set(frame_, field, row_, c, value);
    }
  ++row_;
}

}  // namespace firn
