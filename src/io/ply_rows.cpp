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

template <std::size_t N>
std::array<double, N> part(const FieldValues& values, int first) {
  std::array<double, N> r;
  std::copy_n(values.begin() + first, N, r.begin());
  return r;
}

bool is_whole(double value, double largest) { return value >= 0 && value <= largest && value == std::floor(value); }

}  // namespace

PlyRows::PlyRows(const std::string& file, const PlyElement& vertex) : file_(file), field_of_(vertex.properties.size(), -1) {
  for (std::size_t i = 0; i < vertex.properties.size(); ++i) {
    const PlyProperty& property = vertex.properties[i];
    const auto name = std::find(kFieldNames.begin(), kFieldNames.end(), property.name);
    if (name == kFieldNames.end()) continue;
    if (property.is_list) throw UserError(fmt::format("{}: vertex property {} is a list, it must be one number", file_, property.name));
    field_of_[i] = static_cast<int>(name - kFieldNames.begin());
    has_[field_of_[i]] = true;
  }
  if (!has(kFieldPosition)) throw UserError(fmt::format("{}: element vertex has no property x", file_));
  require_vector(kFieldPosition);
  require_vector(kFieldVelocity);
  require_matrix(kFieldFe);
  require_matrix(kFieldB);
  if (has(kFieldStiffness) && has(kFieldYoung))
    throw UserError(fmt::format("{}: vertex properties stiffness and young_modulus exclude each other, keep one", file_));
  for (int entry = 0; entry < 9; entry += 4) defaults_[kFieldFe + entry] = 1;
}

// A vector needs its first two components; the third is 0 in 2D.
void PlyRows::require_vector(int first) const {
  const bool some = has(first) || has(first + 1) || has(first + 2);
  for (int field = first; some && field < first + 2; ++field)
    if (!has(field)) throw UserError(fmt::format("{}: element vertex has no property {}", file_, kFieldNames[field]));
}

void PlyRows::require_matrix(int first) {
  int count = 0, in_plane_count = 0;
  for (int entry = 0; entry < 9; ++entry) {
    count += has(first + entry);
    in_plane_count += in_plane(entry) && has(first + entry);
  }
  if (count == 0 || count == 9 || (count == 4 && in_plane_count == 4)) return;
  const std::string name(kFieldNames[first].substr(0, kFieldNames[first].size() - 2));
  throw UserError(fmt::format("{}: element vertex has only {} of the properties {}00 ... {}22; allowed: all nine, or {}00 {}01 {}10 {}11",
                              file_, count, name, name, name, name, name, name));
}

void PlyRows::reserve(std::size_t rows) {
  frame_.position.reserve(rows);
  if (has(kFieldId)) frame_.id.reserve(rows);
  if (has(kFieldVelocity)) frame_.velocity.reserve(rows);
  if (has(kFieldMass)) frame_.mass.reserve(rows);
  if (has(kFieldVolume)) frame_.volume.reserve(rows);
  if (has(kFieldJp)) frame_.jp.reserve(rows);
  if (has(kFieldJe)) frame_.je.reserve(rows);
  if (has(kFieldMaterial)) frame_.material.reserve(rows);
  if (has(kFieldFe)) frame_.fe.reserve(rows);
  if (has(kFieldB)) frame_.b.reserve(rows);
  for (const auto& [field, column] : kParameters)
    if (has(field)) (frame_.*column).reserve(rows);
}

void PlyRows::check(const FieldValues& values, const PlyPlace& place) const {
  const auto fail = [&](int field, const char* allowed) {
    throw UserError(fmt::format("{}: at {} {}: vertex {}: {} is {}, it must be {}", file_, place.unit, place.at, frame_.size(),
                                kFieldNames[field], values[field], allowed));
  };
  for (int field = 0; field < kFieldCount; ++field)
    if (has(field) && !std::isfinite(values[field])) fail(field, "finite");
  for (const int field : {kFieldMass, kFieldVolume, kFieldJp})
    if (has(field) && values[field] <= 0) fail(field, "greater than 0");
  if (has(kFieldId) && !is_whole(values[kFieldId], std::numeric_limits<std::uint32_t>::max()))
    fail(kFieldId, "a whole number from 0 to 4294967295");
  if (has(kFieldMaterial) && !is_whole(values[kFieldMaterial], std::numeric_limits<std::uint16_t>::max()))
    fail(kFieldMaterial, "a whole number from 0 to 65535");
}

void PlyRows::add(const FieldValues& values, const PlyPlace& place) {
  check(values, place);
  frame_.position.push_back(part<3>(values, kFieldPosition));
  if (has(kFieldId)) frame_.id.push_back(static_cast<std::uint32_t>(values[kFieldId]));
  if (has(kFieldVelocity)) frame_.velocity.push_back(part<3>(values, kFieldVelocity));
  if (has(kFieldMass)) frame_.mass.push_back(values[kFieldMass]);
  if (has(kFieldVolume)) frame_.volume.push_back(values[kFieldVolume]);
  if (has(kFieldJp)) frame_.jp.push_back(values[kFieldJp]);
  if (has(kFieldJe)) frame_.je.push_back(values[kFieldJe]);
  if (has(kFieldMaterial)) frame_.material.push_back(static_cast<std::uint16_t>(values[kFieldMaterial]));
  if (has(kFieldFe)) frame_.fe.push_back(part<9>(values, kFieldFe));
  if (has(kFieldB)) frame_.b.push_back(part<9>(values, kFieldB));
  for (const auto& [field, column] : kParameters)
    if (has(field)) (frame_.*column).push_back(values[field]);
}

}  // namespace firn
