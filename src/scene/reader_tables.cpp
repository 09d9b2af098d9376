// Reader: values that say what kind of snow there is, and how it varies.
#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "scene/reader.h"
#include "scene/rules.h"

namespace firn::schema {

void Reader::read(const Entry& entry, Material& value, PresetName) const {
  std::vector<std::string_view> names;
  for (const Material& preset : presets()) names.push_back(preset.name);
  const std::string own_name = value.name;
  value = presets()[pick(entry, names, {})];
  value.name = own_name;
}

void Reader::read(const Entry& entry, std::string& value, MaterialName) const {
  const std::string& name = string_value(entry, "the name of a material");
  std::vector<std::string_view> known(context_.materials.begin(), context_.materials.end());
  const std::size_t tables = known.size();
  for (const Material& preset : presets())
    if (std::find(known.begin(), known.end(), preset.name) == known.end()) known.push_back(preset.name);
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end())
    throw UserError(entry.where, fmt::format("unknown material \"{}\"{}", shortened(name), suggestion(name, known, "\"")));
  if (static_cast<std::size_t>(found - known.begin()) >= tables) context_.materials.push_back(name);
  value = name;
}

void Reader::read(const Entry& entry, std::optional<double>& value, const Maybe& rule) const { value = number(entry, rule.range); }

void Reader::read(const Entry& entry, std::vector<SnowNoise>& value, Noises) const {
  constexpr std::string_view kForm = "{ scale, octaves, seed, stiffness, ... } or a list of them";
  const auto note_place = [&](const Reader& reader, SnowNoise& noise) { noise.location = reader.where(""); };
  const auto read_one = [&](const toml::node& node) { value.push_back(read_table<SnowNoise>(entry, node, kForm, note_place)); };
  value.clear();
  if (entry.node.is_table()) return read_one(entry.node);
  for (const toml::node& element : array_value(entry, kForm)) read_one(element);
}

void Reader::read(const Entry& entry, std::optional<SnowShell>& value, Shell) const {
  const auto note_place = [&](const Reader&, SnowShell& shell) { shell.location = entry.where; };
  value = read_table<SnowShell>(entry, entry.node, "{ depth, stiffness, hardening, ... }", note_place);
}

void Reader::read(const Entry& entry, std::vector<SnowLayer>& value, Layers) const {
  constexpr std::string_view kForm = "a list of { above, below, material }, at least one";
  const auto is_layer = [](const Reader& reader, const SnowLayer& layer) {
    if (!layer.above && !layer.below) throw UserError(reader.where(""), "a layer needs 'above', 'below' or both");
    if (layer.above && layer.below && *layer.above >= *layer.below)
      throw UserError(reader.where("above"), fmt::format("above = {}: must be less than below = {}", *layer.above, *layer.below));
  };
  value.clear();
  for (const toml::node& element : array_value(entry, kForm)) value.push_back(read_table<SnowLayer>(entry, element, kForm, is_layer));
}

// Reader: values that say how a run is shown.

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
