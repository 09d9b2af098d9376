// Reader: values that say how a run is shown.
#include <cmath>

#include "scene/reader.h"

namespace firn::schema {
namespace {

constexpr int kSpace = 3;                // dimensions of cameras and lights
constexpr double kNearestTarget = 1e-6;  // m: nearer, no direction can be told

}  // namespace

void check_sight(const Location& where, const Vector& position, const Vector& target) {
  const double distance = std::hypot(target[0] - position[0], target[1] - position[1], target[2] - position[2]);
  if (distance < kNearestTarget)
    throw UserError(where,
                    fmt::format("the camera stands on its target, 'position' and 'target' must be at least {} m apart", kNearestTarget));
}

void Reader::read(const Entry& entry, Vector& value, PointInSpace) const { value = components_in(entry, kSpace, {-kFarthest, kFarthest}); }

void Reader::read(const Entry& entry, std::optional<Vector>& value, PointInSpace) const {
  value = components_in(entry, kSpace, {-kFarthest, kFarthest});
}

void Reader::read(const Entry& entry, std::optional<Vector>& value, DirectionInSpace) const { value = direction(entry, kSpace); }

void Reader::read(const Entry& entry, Vector& value, const Channels& rule) const { value = components_in(entry, kSpace, rule.range); }

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
