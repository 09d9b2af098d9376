// The rules of values that are tables, or lists of them.
#include <cmath>

#include "core/text.h"
#include "scene/rules.h"
#include "scene/scene_files.h"
#include "scene/visitors.h"

namespace firn::schema {
namespace {

constexpr double kNearestTarget = 1e-6;  // m: nearer, no direction can be told

double distance(const Vector& a, const Vector& b) { return std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]); }

// check(reader, item) sees to what no single key tells.
template <class T, class Check>
T read_table(const Entry& entry, const Reader& in, const toml::node& node, std::string_view form, Check check) {
  Reader reader = in.inside(entry, node, form);
  T item;
  reader.check_names(names_of(item));
  describe(reader, item);
  check(reader, item);
  return item;
}

// Reads the next of some keys in time, which has the values of `key` where it does not say.
template <class K>
void append_key(Reader reader, K key, std::vector<K>& keys) {
  reader.check_names(names_of(key));
  describe(reader, key);
  if (!keys.empty() && key.t <= keys.back().t)
    throw UserError(reader.where("t"), fmt::format("t = {}: must be greater than the t before it, {}", key.t, keys.back().t));
  keys.push_back(key);
}

template <class T>
std::string table_text(const T& item, int dimension) {
  Writer writer(dimension);
  describe(writer, item);
  return writer.inline_table();
}

template <class T>
std::string list_text(const std::vector<T>& items, int dimension) {
  if (items.empty()) return {};
  std::string out = "[\n";
  for (const T& item : items) out += "  " + table_text(item, dimension) + ",\n";
  return out + "]";
}

}  // namespace

void check_sight(const Location& where, const Vector& position, const Vector& target) {
  if (distance(position, target) < kNearestTarget)
    throw UserError(where,
                    fmt::format("the camera stands on its target, 'position' and 'target' must be at least {} m apart", kNearestTarget));
}

void MotionKeys::read(const Entry& entry, const Reader& in, std::vector<MotionKey>& value) const {
  constexpr std::string_view kForm = "a list of { t, position, rotation }, at least one";
  value.clear();
  for (const toml::node& element : array_value(entry, kForm)) append_key(in.inside(entry, element, kForm), MotionKey{}, value);
}
std::string MotionKeys::write(const std::vector<MotionKey>& value, int dimension) const { return list_text(value, dimension); }

void MotionFile::read(const Entry& entry, const Reader& in, std::vector<MotionKey>& value) const {
  const std::string path = existing_file(entry, in);
  Context there = in.context();
  value.clear();
  try {
    for (const MotionRow& row : read_motion_file(path, there.dimension)) {
      there.place = Location{path, row.line, 1};
      append_key(Reader(row.values, "a motion key", there), MotionKey{}, value);
    }
  } catch (const UserError& error) {
    throw UserError(entry.where, fmt::format("{}: {}", entry.name, error.what()));
  }
}
std::string MotionFile::write(const std::vector<MotionKey>&, int) const { return {}; }  // the keys say it

void CameraKeys::read(const Entry& entry, const Reader& in, std::vector<CameraKey>& value) const {
  constexpr std::string_view kForm = "a list of { t, position, target, fov }, at least one";
  CameraKey defaults;
  defaults.fov = fov;
  value.clear();
  for (const toml::node& element : array_value(entry, kForm)) {
    const Reader reader = in.inside(entry, element, kForm);
    append_key(reader, defaults, value);
    check_sight(reader.where("position"), value.back().position, value.back().target);
  }
}
std::string CameraKeys::write(const std::vector<CameraKey>& value, int dimension) const { return list_text(value, dimension); }

void AreaLights::read(const Entry& entry, const Reader& in, std::vector<AreaLight>& value) const {
  constexpr std::string_view kForm = "a list of lights { shape, center, strength, ... }, at least one";
  const toml::array& elements = array_value(entry, kForm);
  if (elements.size() > kMostLights)
    throw UserError(entry.where, fmt::format("lights: {} of them, at most {}", elements.size(), kMostLights));
  value.clear();
  for (const toml::node& element : elements) {
    Reader reader = in.inside(entry, element, kForm);
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
std::string AreaLights::write(const std::vector<AreaLight>& value, int dimension) const { return list_text(value, dimension); }

void Parts::read(const Entry& entry, const Reader& in, std::vector<Shape>& value) const {
  constexpr std::string_view kForm = "a list of shapes { shape = ..., ... }, at least one";
  value.clear();
  for (const toml::node& element : array_value(entry, kForm)) {
    Reader reader = in.inside(entry, element, kForm);
    Shape part;
    reader.field(required("shape"), part.kind, kPartShapes);
    Names names;
    names.add("shape");
    describe(names, part);
    reader.check_names(names);
    describe(reader, part);
    reader.check_all_used();
    value.push_back(part);
  }
}
std::string Parts::write(const std::vector<Shape>& value, int dimension) const {
  std::vector<std::string> tables;
  for (const Shape& part : value) {
    Writer writer(dimension);
    writer.field("shape", part.kind, kPartShapes);
    describe(writer, part);
    tables.push_back(writer.inline_table());
  }
  return fmt::format("[{}]", fmt::join(tables, ", "));
}

// What a variant says to have none of them.
bool is_empty_list(const Entry& entry) { return entry.node.is_array() && entry.node.as_array()->empty(); }

void Noises::read(const Entry& entry, const Reader& in, std::vector<SnowNoise>& value) const {
  constexpr std::string_view kForm = "{ scale, octaves, seed, stiffness, ... } or a list of them";
  const auto note_place = [&](const Reader& reader, SnowNoise& noise) { noise.location = reader.where(""); };
  const auto read_one = [&](const toml::node& node) { value.push_back(read_table<SnowNoise>(entry, in, node, kForm, note_place)); };
  value.clear();
  if (entry.node.is_table()) return read_one(entry.node);
  if (is_empty_list(entry)) return;
  for (const toml::node& element : array_value(entry, kForm)) read_one(element);
}
std::string Noises::write(const std::vector<SnowNoise>& value, int dimension) const { return list_text(value, dimension); }

void Shell::read(const Entry& entry, const Reader& in, SnowShell& value) const {
  const auto note_place = [&](const Reader&, SnowShell& shell) { shell.location = entry.where; };
  value = read_table<SnowShell>(entry, in, entry.node, "{ depth, stiffness, hardening, ... }", note_place);
}
std::string Shell::write(const SnowShell& value, int dimension) const { return table_text(value, dimension); }

void Layers::read(const Entry& entry, const Reader& in, std::vector<SnowLayer>& value) const {
  constexpr std::string_view kForm = "a list of { above, below, material }";
  const auto is_layer = [](const Reader& reader, const SnowLayer& layer) {
    if (!layer.above && !layer.below) throw UserError(reader.where(""), "a layer needs 'above', 'below' or both");
    if (layer.above && layer.below && *layer.above >= *layer.below)
      throw UserError(reader.where("above"), fmt::format("above = {}: must be less than below = {}", *layer.above, *layer.below));
  };
  value.clear();
  if (is_empty_list(entry)) return;
  for (const toml::node& element : array_value(entry, kForm)) value.push_back(read_table<SnowLayer>(entry, in, element, kForm, is_layer));
}
std::string Layers::write(const std::vector<SnowLayer>& value, int dimension) const { return list_text(value, dimension); }

}  // namespace firn::schema
