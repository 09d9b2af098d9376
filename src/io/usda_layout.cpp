#include "io/usda_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace firn {
namespace {

constexpr std::string_view kPrimvars = "primvars:";

// Those that the schema UsdGeomPoints has a place for; empty: none.
std::string_view schema_name(Field field) {
  switch (field) {
    case Field::kId:
      return "ids";
    case Field::kPosition:
      return "points";
    case Field::kVelocity:
      return "velocities";
    default:
      return "";
  }
}

// Plain numbers for the exact copies: not every program knows point3d.
std::string array_type(const Attribute& a, bool double_precision) {
  if (a.field == Field::kId) return "int64[]";
  if (a.kind != ValueKind::kReal) return "int[]";
  if (a.components != 3) return double_precision ? "double[]" : "float[]";
  if (double_precision) return "double3[]";
  return a.field == Field::kPosition ? "point3f[]" : "vector3f[]";
}

UsdaColumn primvar(const Attribute& a, bool double_precision) {
  return {a.field, fmt::format("{}{}", kPrimvars, a.name), array_type(a, double_precision), double_precision};
}

}  // namespace

std::vector<UsdaColumn> usda_columns(const FrameView& frame) {
  std::vector<UsdaColumn> columns;
  for (const Field field : fields_of(frame)) {
    const Attribute& a = attribute(field);
    const std::string_view name = schema_name(field);
    const bool double_precision = frame.double_precision && a.kind == ValueKind::kReal;
    if (!name.empty()) columns.push_back({field, std::string(name), array_type(a, false), false});
    if (name.empty() || double_precision) columns.push_back(primvar(a, double_precision));
  }
  return columns;
}

std::optional<UsdaName> find_usda_name(std::string_view name) {
  for (const Attribute& a : kAttributes)
    if (name == schema_name(a.field)) return UsdaName{a.field, false};
  if (name.substr(0, kPrimvars.size()) != kPrimvars) return std::nullopt;
  const Attribute* a = find_attribute(name.substr(kPrimvars.size()));
  if (a == nullptr || a->field == Field::kId) return std::nullopt;
  return UsdaName{a->field, true};
}

bool is_usda_type(Field field, std::string_view type) {
  constexpr std::array<std::string_view, 5> kWhole{"int", "int64", "uint", "uint64", "uchar"};
  constexpr std::array<std::string_view, 3> kReal{"float", "double", "half"};
  constexpr std::array<std::string_view, 9> kVector{"point3f", "vector3f", "float3",   "point3d", "vector3d",
                                                    "double3", "point3h",  "vector3h", "half3"};
  const auto among = [&](const auto& types) { return std::find(types.begin(), types.end(), type) != types.end(); };
  if (attribute(field).kind != ValueKind::kReal) return among(kWhole);
  return attribute(field).components == 3 ? among(kVector) : among(kReal);
}

std::string usda_declaration(const UsdaColumn& column) {
  const bool primvar = column.name.substr(0, kPrimvars.size()) == kPrimvars;
  const int components = attribute(column.field).components;
  // On one line: three.js loses its way in lines that end with "(" and have a colon.
  return fmt::format("        {} {}{}{}{}\n", column.type, column.name, primvar ? " (" : "", components == 9 ? "elementSize = 9; " : "",
                     primvar ? "interpolation = \"vertex\")" : "");
}

double usda_time_code(double time, double fps) {
  constexpr double kRounding = 1e-9;  // far less than a sub-frame
  const double code = time * fps, whole = std::round(code);
  return std::abs(code - whole) <= kRounding * whole ? whole : code;
}

std::string usda_header(double first_code, double last_code, double fps) {
  return fmt::format(
      "#usda 1.0\n(\n    defaultPrim = \"snow\"\n    endTimeCode = {1}\n    framesPerSecond = {2}\n    metersPerUnit = 1\n"
      "    startTimeCode = {0}\n    timeCodesPerSecond = {2}\n    upAxis = \"Y\"\n)\n\n",
      first_code, last_code, fps);
}

}  // namespace firn
