#include "io/usda_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "io/printable.h"

namespace firn {
namespace {

bool is_double_type(std::string_view type) { return type.substr(0, 6) == "double" || type.back() == 'd'; }

// "primvars:mass:indices": numbers into the array, which then is not one value per particle.
bool has_indices(std::string_view name) {
  constexpr std::string_view kIndices = ":indices";
  if (name.size() < kIndices.size()) return false;
  const std::string_view values = name.substr(0, name.size() - kIndices.size());
  return name.substr(values.size()) == kIndices && find_usda_name(values).has_value();
}

}  // namespace

void UsdaPoints::read(const UsdaProperty& property) {
  if (has_indices(property.name))
    lexer_.fail(fmt::format("{}: primvars with indices cannot be read, write one value per point", property.name), property.at);
  const std::optional<UsdaName> name = find_usda_name(property.name);
  if (!name) return lexer_.skip_value();
  Source& read = source(name->field, name->primvar);
  if (!read.name.empty() && read.is_sampled == property.is_sampled) lexer_.fail(fmt::format("a second {}", property.name), property.at);
  if (!read.name.empty() && read.is_sampled) return lexer_.skip_value();  // samples count more than the value for other times

  check_type(attribute(name->field), property);
  const Column column{attribute(name->field), property, is_double_type(property.type)};
  values_.clear();
  if (property.is_sampled ? !take_samples(column) : !take_array(column)) return;
  read = {property.name, property.at, property.is_sampled, column.is_double, count_particles(column)};
  if (name->primvar || source(name->field, true).name.empty()) store(name->field, read.particles);
}

Frame UsdaPoints::take(std::size_t at) {
  if (best(Field::kPosition).name.empty()) lexer_.fail("the Points prim has no points", at);
  check_counts();
  if (const Source& young = best(Field::kYoungModulus); !young.name.empty() && !best(Field::kStiffness).name.empty())
    lexer_.fail("primvars:stiffness and primvars:young_modulus exclude each other, keep one", young.at);
  for (const Attribute& a : kAttributes)
    frame_.double_precision |= a.kind == ValueKind::kReal && !best(a.field).name.empty() && best(a.field).is_double;
  return std::move(frame_);
}

void UsdaPoints::check_type(const Attribute& about, const UsdaProperty& property) const {
  if (property.is_array && is_usda_type(about.field, property.type)) return;
  const char* allowed = about.components == 3 ? "point3f[], point3d[], vector3f[], vector3d[], float3[], double3[]" : "float[], double[]";
  if (about.kind != ValueKind::kReal) allowed = "int[], int64[]";
  lexer_.fail(
      fmt::format("{} is of type {}{}, allowed: {}", property.name, printable(property.type), property.is_array ? "[]" : "", allowed),
      property.at);
}

// The first of them. False: there is no value.
bool UsdaPoints::take_samples(const Column& column) {
  lexer_.expect('{');
  if (lexer_.take('}')) return false;
  lexer_.take_number<double>();
  lexer_.expect(':');
  const bool found = take_array(column);
  lexer_.skip_to_closing('}');
  return found;
}

bool UsdaPoints::take_array(const Column& column) {
  if (lexer_.peek() == 'N' && lexer_.take_word() == "None") return false;
  const bool triples = column.about.components == 3;
  lexer_.expect('[');
  while (!lexer_.take(']')) {
    if (triples) lexer_.expect('(');
    take_component(column, triples ? 0 : static_cast<int>(values_.size() % static_cast<std::size_t>(column.about.components)));
    for (int c = 1; triples && c < 3; ++c) {
      lexer_.expect(',');
      take_component(column, c);
    }
    if (triples) lexer_.expect(')');
    if (lexer_.take(',')) continue;
    lexer_.expect(']');
    break;
  }
  return true;
}

// Single precision is read as such: digits that are enough for it make another number in double precision.
void UsdaPoints::take_component(const Column& column, int component) {
  const std::size_t at = lexer_.position();
  double value = 0;
  if (column.about.kind != ValueKind::kReal) {
    value = static_cast<double>(lexer_.take_number<std::int64_t>());
  } else {
    value = column.is_double ? lexer_.take_number<double>() : static_cast<double>(lexer_.take_number<float>());
  }
  if (const std::string wrong = complaint(column.about.field, component, value); !wrong.empty())
    lexer_.fail(fmt::format("{}: {}", column.property.name, wrong), at);
  values_.push_back(value);
}

std::size_t UsdaPoints::count_particles(const Column& column) const {
  const std::size_t width = static_cast<std::size_t>(column.about.components);
  if (values_.size() % width != 0)
    lexer_.fail(fmt::format("{} has {} numbers, it must have {} for every point", column.property.name, values_.size(), width),
                column.property.at);
  return values_.size() / width;
}

void UsdaPoints::store(Field field, std::size_t particles) {
  resize(frame_, field, particles);
  if (attribute(field).kind == ValueKind::kReal) {
    std::copy(values_.begin(), values_.end(), reals(frame_, field).begin());
  } else {
    for (std::size_t p = 0; p < particles; ++p) set(frame_, field, p, 0, values_[p]);
  }
}

void UsdaPoints::check_counts() {
  const Source& points = best(Field::kPosition);
  for (const auto& of_field : sources_)
    for (const Source& other : of_field)
      if (!other.name.empty() && other.particles != points.particles)
        lexer_.fail(fmt::format("{} is for {} points, but {} for {}", other.name, other.particles, points.name, points.particles),
                    other.at);
}

}  // namespace firn
