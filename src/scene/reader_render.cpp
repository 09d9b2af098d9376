// Reader: values that say how a run is shown.
#include <cmath>

#include "scene/reader.h"

namespace firn::schema {
namespace {

constexpr int kSpace = 3;                // dimensions of cameras and lights
constexpr double kNearestTarget = 1e-6;  // m: nearer, no direction can be told

double distance(const Vector& a, const Vector& b) { return std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]); }

}  // namespace

void check_sight(const Location& where, const Vector& position, const Vector& target) {
  if (distance(position, target) < kNearestTarget)
    throw UserError(where,
                    fmt::format("the camera stands on its target, 'position' and 'target' must be at least {} m apart", kNearestTarget));
}

void Reader::read(const Entry& entry, Vector& value, PointInSpace) const { value = components_in(entry, kSpace, {-kFarthest, kFarthest}); }

void Reader::read(const Entry& entry, std::optional<Vector>& value, PointInSpace) const {
  value = components_in(entry, kSpace, {-kFarthest, kFarthest});
}

void Reader::read(const Entry& entry, std::optional<Vector>& value, DirectionInSpace) const { value = direction(entry, kSpace); }

void Reader::read(const Entry& entry, Vector& value, const Channels& rule) const { value = components_in(entry, kSpace, rule.range); }

void Reader::read(const Entry& entry, std::array<double, 2>& value, const Edges& rule) const {
  const std::string must_be = fmt::format("[width, height], numbers {}", rule.range.text());
  const toml::array& numbers = array_value(entry, must_be);
  if (numbers.size() != value.size()) reject(entry, must_be);
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::optional<double> number = numbers[i].value<double>();
    if (!numbers[i].is_number() || !rule.range.contains(*number)) reject(entry, must_be);
    value[i] = *number;
  }
}

void Reader::read(const Entry& entry, std::vector<AreaLight>& value, AreaLights) const {
  constexpr std::string_view kForm = "a list of lights { shape, center, strength, ... }, at least one";
  const toml::array& elements = array_value(entry, kForm);
  if (elements.size() > kMostLights)
    throw UserError(entry.where, fmt::format("lights: {} of them, at most {}", elements.size(), kMostLights));
  value.clear();
  for (const toml::node& element : elements) {
    const toml::table* table = element.as_table();
    if (!table) reject(entry, kForm);
    Reader reader(*table, fmt::format("{} of {}", entry.name, label_), context_);
    AreaLight light;
    reader.field(required("shape"), light.shape, kLightShapes);
    reader.check_names(names_of(light));
    describe(reader, light);
    if (light.shape != LightShape::kSphere && distance(light.center, light.target) < kNearestTarget)
      throw UserError(reader.where("target"),
                      fmt::format("the light stands on its target, 'center' and 'target' must be at least {} m apart", kNearestTarget));
    value.push_back(light);
  }
}

void Reader::read(const Entry& entry, std::optional<Vector>& value, const Channels& rule) const {
  value = components_in(entry, kSpace, rule.range);
}

void Reader::read(const Entry& entry, std::vector<CameraKey>& value, const CameraKeys& rule) const {
  constexpr std::string_view kForm = "a list of { t, position, target, fov }, at least one";
  CameraKey defaults;
  defaults.fov = rule.fov;
  value.clear();
  for (const toml::node& element : array_value(entry, kForm)) {
    const toml::table* table = element.as_table();
    if (!table) reject(entry, kForm);
    const Reader reader(*table, fmt::format("{} of {}", entry.name, label_), context_);
    append_key(reader, defaults, value);
    check_sight(reader.where("position"), value.back().position, value.back().target);
  }
}

}  // namespace firn::schema
