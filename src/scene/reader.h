// Visitor that reads one table of the scene file: type, range and spelling of every key, with the place of what is wrong.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "firn/scene.h"
#include "scene/rules.h"
#include "scene/schema.h"

namespace firn::schema {

// From TOML nodes to plain values; every mistake is a UserError that shows the value and says what it must be.

inline constexpr double kFarthest = 1e6;  // m from the world's origin

// A key that is there.
struct Entry {
  std::string_view name;
  const toml::node& node;
  Location where;
};

// Throws "key = value: must be ...".
[[noreturn]] void reject(const Entry& entry, std::string_view must_be);

double number(const Entry& entry, const Range& range);
std::int64_t whole_number(const Entry& entry, const Range& range);
const std::string& string_value(const Entry& entry, std::string_view must_be);
const toml::array& array_value(const Entry& entry, std::string_view must_be);

// As many finite numbers as the scene has dimensions; in 2D, z is 0.
Vector components(const Entry& entry, int dimension);
// The same, each in `range`.
Vector components_in(const Entry& entry, int dimension, const Range& range);
// Not zero, of any length that can be normalized.
Vector direction(const Entry& entry, int dimension);
// Of unit length; in 3D also given as angles about x, y and z in degrees, in 2D about z and also as an angle.
Quaternion rotation(const Entry& entry, int dimension);
// A number for all axes or one each. In 2D, z follows from the others: only a section is seen.
Vector scale(const Entry& entry, int dimension, const Range& range);
// In 2D a number or [0, 0, z].
Vector spin(const Entry& entry, int dimension, const Range& range);

// Throws at `where` when the camera stands on what it looks at.
void check_sight(const Location& where, const Vector& position, const Vector& target);

// What a key's meaning depends on beyond its own table.
struct Context {
  std::string file;                    // names the scene in errors and anchors relative paths
  int dimension = 3;                   // as soon as it is read
  double spacing = 0;                  // m, once [simulation] is read
  std::vector<std::string> materials;  // of the scene's tables, then presets that were named without one
  std::optional<Location> place;       // of all there is, for tables that were not read from the scene file
  std::vector<bool> collider_moves;    // of each, once they are read
};

class Reader {
 public:
  // `label` names the table in errors: [solver], [[snow]], ...
  Reader(const toml::table& table, std::string label, Context& context);

  template <class T, class Rule>
  void field(const Key& key, T& value, const Rule& rule) {
    if (const auto entry = find(key)) read(*entry, value, rule);
  }

  template <class T, class Rule>
  bool instead(const Key& key, T& value, const Rule& rule) {
    alternative_ = key.name;
    const auto entry = find(key);
    if (entry) read(*entry, value, rule);
    return entry.has_value();
  }

  // Before reading, so that a misspelt key is not reported as a missing one.
  void check_names(const Names& names) const;
  // After reading: a known key that nobody asked for contradicts the one that stands instead of it.
  void check_all_used() const;

  // Of the key, or of the table when it is not there.
  Location where(std::string_view key) const;

 private:
  std::optional<Entry> find(const Key& key);
  // The file's name, from the scene's folder on.
  std::string path_of(const Entry& entry) const;

  void read(const Entry& entry, double& value, const Range& range) const;
  void read(const Entry& entry, int& value, const Range& range) const;
  void read(const Entry& entry, std::uint32_t& value, const Range& range) const;
  void read(const Entry& entry, bool& value, Flag) const;
  void read(const Entry& entry, int& value, Dimension) const;
  void read(const Entry& entry, std::optional<double>& value, const AutoOr& rule) const;
  void read(const Entry& entry, std::optional<double>& value, const Range& range) const;
  void read(const Entry& entry, std::optional<int>& value, MovingCollider) const;
  void read(const Entry& entry, double& value, const FrameCount& rule) const;
  void read(const Entry& entry, double& value, const Opening& rule) const;
  void read(const Entry& entry, Vector& value, const Components& rule) const;
  void read(const Entry& entry, Vector& value, Position) const;
  void read(const Entry& entry, std::optional<Vector>& value, Position) const;
  void read(const Entry& entry, Vector& value, const Sizes& rule) const;
  void read(const Entry& entry, Vector& value, Direction) const;
  void read(const Entry& entry, Vector& value, const Spin& rule) const;
  void read(const Entry& entry, Vector& value, PointInSpace) const;
  void read(const Entry& entry, std::optional<Vector>& value, PointInSpace) const;
  void read(const Entry& entry, std::optional<Vector>& value, DirectionInSpace) const;
  void read(const Entry& entry, Vector& value, const Channels& rule) const;
  void read(const Entry& entry, std::array<double, 2>& value, const Edges& rule) const;
  void read(const Entry& entry, std::vector<AreaLight>& value, AreaLights) const;
  void read(const Entry& entry, std::optional<Vector>& value, const Channels& rule) const;
  void read(const Entry& entry, Quaternion& value, Rotation) const;
  void read(const Entry& entry, std::string& value, ExistingFile) const;
  void read(const Entry& entry, std::string& value, FilePattern) const;
  void read(const Entry& entry, std::string& value, AnyText) const;
  void read(const Entry& entry, std::string& value, ColumnName) const;
  void read(const Entry& entry, std::string& value, MaterialName) const;
  void read(const Entry& entry, std::vector<std::string>& value, const Formats& rule) const;
  void read(const Entry& entry, std::vector<MotionKey>& value, MotionKeys) const;
  void read(const Entry& entry, std::vector<CameraKey>& value, const CameraKeys& rule) const;
  void read(const Entry& entry, Vector& value, const Scale& rule) const;
  void read(const Entry& entry, std::vector<Shape>& value, Parts) const;
  void read(const Entry& entry, std::vector<MotionKey>& value, MotionFile) const;
  void read(const Entry& entry, Material& value, PresetName) const;
  void read(const Entry& entry, std::optional<double>& value, const Maybe& rule) const;
  void read(const Entry& entry, std::vector<SnowNoise>& value, Noises) const;
  void read(const Entry& entry, std::optional<SnowShell>& value, Shell) const;
  void read(const Entry& entry, std::vector<SnowLayer>& value, Layers) const;
  void read(const Entry& entry, ShapeKind& value, const Choices<ShapeKind>& choices) const;
  template <class E>
  void read(const Entry& entry, E& value, const Choices<E>& choices) const {
    value = choices.now[pick(entry, names(choices), choices.later)].value;
  }

  // A table that stands as a value; `form` says what it should look like. check(reader, item) sees to what no single key tells.
  template <class T, class Check>
  T read_table(const Entry& entry, const toml::node& node, std::string_view form, Check check) const {
    const toml::table* table = node.as_table();
    if (!table) reject(entry, form);
    Reader reader(*table, fmt::format("{} of {}", entry.name, label_), context_);
    T item;
    reader.check_names(names_of(item));
    describe(reader, item);
    check(reader, item);
    return item;
  }

  // Reads the next of some keys in time, which has the values of `key` where it does not say.
  template <class K>
  static void append_key(Reader reader, K key, std::vector<K>& keys) {
    reader.check_names(names_of(key));
    describe(reader, key);
    if (!keys.empty() && key.t <= keys.back().t)
      throw UserError(reader.where("t"), fmt::format("t = {}: must be greater than the t before it, {}", key.t, keys.back().t));
    keys.push_back(key);
  }

  template <class E>
  static std::vector<std::string_view> names(const Choices<E>& choices) {
    std::vector<std::string_view> all;
    for (const Choice<E>& choice : choices.now) all.push_back(choice.name);
    return all;
  }
  // The path that the entry names, from the scene file's folder.
  std::string existing_file(const Entry& entry) const;
  // The index of the entry's text among `now`.
  static std::size_t pick(const Entry& entry, const std::vector<std::string_view>& now, std::span<const std::string_view> later);

  const toml::table& table_;
  std::string label_;
  Context& context_;
  std::set<std::string_view> used_;
  std::string_view alternative_;  // the last key that stands instead of others
};

}  // namespace firn::schema
