// to_toml: the schema's other direction.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "firn/scene.h"
#include "scene/document.h"
#include "scene/schema.h"

namespace firn {
namespace schema {
namespace {

template <std::size_t N>
std::string toml_array(const std::array<double, N>& values, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + toml_number(values[i]);
  return "[" + out + "]";
}

// Visitor: "key = value" for every key; an empty value means that the key is left out.
class Writer {
 public:
  explicit Writer(int dimension) : dimension_(dimension) {}

  template <class T, class Rule>
  void field(const Key& key, const T& value, const Rule& rule) {
    const std::string text = toml(value, rule);
    if (!text.empty()) pairs_.push_back(fmt::format("{} = {}", key.name, text));
  }

  template <class T, class Rule>
  bool instead(const Key& key, const T& value, const Rule& rule) {
    const std::size_t before = pairs_.size();
    field(key, value, rule);
    return pairs_.size() > before;
  }

  std::string lines() const { return fmt::format("{}\n", fmt::join(pairs_, "\n")); }
  std::string inline_table() const { return fmt::format("{{ {} }}", fmt::join(pairs_, ", ")); }

 private:
  std::string toml(double value, const Range&) const { return toml_number(value); }
  std::string toml(int value, const Range&) const { return std::to_string(value); }
  std::string toml(std::uint32_t value, const Range&) const { return std::to_string(value); }
  std::string toml(bool value, Flag) const { return value ? "true" : "false"; }
  std::string toml(int value, Dimension) const { return std::to_string(value); }
  std::string toml(const std::optional<double>& value, const AutoOr&) const { return value ? toml_number(*value) : "\"auto\""; }
  std::string toml(const std::optional<double>& value, const Range&) const { return value ? toml_number(*value) : ""; }
  std::string toml(const std::optional<int>& value, MovingCollider) const { return value ? std::to_string(*value) : ""; }
  std::string toml(double, const FrameCount&) const { return {}; }  // the duration says it
  std::string toml(double value, const Opening&) const { return value > 0 ? toml_number(value) : ""; }
  std::string toml(const Vector& v, const Components&) const { return vector(v); }
  std::string toml(const Vector& v, Position) const { return vector(v); }
  std::string toml(const std::optional<Vector>& v, Position) const { return v ? vector(*v) : ""; }
  std::string toml(const Vector& v, const Sizes&) const { return vector(v); }
  std::string toml(const Vector& v, Direction) const { return vector(v); }
  std::string toml(const Vector& v, PointInSpace) const { return toml_array(v, v.size()); }
  std::string toml(const std::optional<Vector>& v, PointInSpace) const { return v ? toml_array(*v, v->size()) : ""; }
  std::string toml(const std::optional<Vector>& v, DirectionInSpace) const { return v ? toml_array(*v, v->size()) : ""; }
  std::string toml(const Vector& v, const Channels&) const { return toml_array(v, v.size()); }
  std::string toml(const std::array<double, 2>& v, const Edges&) const { return toml_array(v, v.size()); }
  std::string toml(const std::vector<AreaLight>& lights, AreaLights) const { return tables(lights); }
  std::string toml(const std::optional<Vector>& v, const Channels&) const { return v ? toml_array(*v, v->size()) : ""; }
  std::string toml(const Vector& v, const Spin&) const { return dimension_ == 2 ? toml_number(v[2]) : vector(v); }
  std::string toml(const Quaternion& q, Rotation) const { return toml_array(q, q.size()); }
  std::string toml(const std::string& path, ExistingFile) const { return path.empty() ? "" : toml_string(path); }
  std::string toml(const std::string& text, ColumnName) const { return toml(text, AnyText{}); }
  std::string toml(const std::string& text, AnyText) const { return text.empty() ? "" : toml_string(text); }
  std::string toml(const std::string& path, FilePattern) const { return toml_string(path); }
  std::string toml(const std::string& name, MaterialName) const { return toml_string(name); }
  std::string toml(const Material&, PresetName) const { return {}; }  // the other keys say it
  std::string toml(const std::optional<double>& value, const Maybe&) const { return value ? toml_number(*value) : ""; }

  std::string toml(const std::vector<std::string>& formats, const Formats&) const {
    std::vector<std::string> quoted;
    for (const std::string& format : formats) quoted.push_back(toml_string(format));
    return fmt::format("[{}]", fmt::join(quoted, ", "));
  }

  std::string toml(const std::vector<MotionKey>& keys, MotionKeys) const { return tables(keys); }
  std::string toml(const std::vector<CameraKey>& keys, const CameraKeys&) const { return tables(keys); }
  std::string toml(const std::vector<SnowNoise>& noise, Noises) const { return tables(noise); }
  std::string toml(const std::optional<SnowShell>& shell, Shell) const { return shell ? table(*shell) : ""; }
  std::string toml(const std::vector<SnowLayer>& layers, Layers) const { return tables(layers); }

  std::string toml(const std::vector<MotionKey>&, MotionFile) const { return {}; }  // the keys say it
  std::string toml(const Vector& v, const Scale&) const { return vector(v); }

  std::string toml(const std::vector<Shape>& parts, Parts) const {
    std::vector<std::string> tables;
    for (const Shape& part : parts) {
      Writer writer(dimension_);
      writer.field("shape", part.kind, kPartShapes);
      describe(writer, part);
      tables.push_back(writer.inline_table());
    }
    return fmt::format("[{}]", fmt::join(tables, ", "));
  }

  template <class E>
  std::string toml(E value, const Choices<E>& choices) const {
    for (const Choice<E>& choice : choices.now)
      if (choice.value == value) return toml_string(choice.name);
    return {};
  }

  template <class T>
  std::string table(const T& item) const {
    Writer writer(dimension_);
    describe(writer, item);
    return writer.inline_table();
  }
  template <class T>
  std::string tables(const std::vector<T>& items) const {
    if (items.empty()) return {};
    std::string out = "[\n";
    for (const T& item : items) out += "  " + table(item) + ",\n";
    return out + "]";
  }

  std::string vector(const Vector& v) const { return toml_array(v, static_cast<std::size_t>(dimension_)); }

  int dimension_;
  std::vector<std::string> pairs_;
};

template <class Section>
std::string section_text(const std::string& header, const Section& section, int dimension) {
  Writer writer(dimension);
  describe(writer, section);
  return header + "\n" + writer.lines();
}

}  // namespace
}  // namespace schema

std::string to_toml(const Scene& scene) {
  const int dimension = scene.simulation.dimension;
  std::vector<std::string> sections;
  const auto add = [&](const std::string& header, const auto& section) {
    sections.push_back(schema::section_text(header, section, dimension));
  };
  add("[simulation]", scene.simulation);
  add("[solver]", scene.solver);
  for (const Material& material : scene.materials) add(fmt::format("[materials.{}]", material.name), material);
  for (const Snow& snow : scene.snow) add("[[snow]]", snow);
  for (const Source& source : scene.sources) add("[[source]]", source);
  for (const Collider& collider : scene.colliders) add("[[collider]]", collider);
  for (const Sink& sink : scene.sinks) add("[[sink]]", sink);
  if (scene.domain) add("[domain]", *scene.domain);
  if (scene.window) add("[window]", *scene.window);
  add("[output]", scene.output);
  add("[render]", scene.render);
  return fmt::format("{}", fmt::join(sections, "\n"));
}

}  // namespace firn
