// scene_schema(): the list of keys for programs that make panels of it.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/text.h"
#include "firn/scene.h"
#include "scene/schema.h"
#include "scene/visitors.h"

namespace firn {

// The text of docs/scenes.md, made part of the program.
extern const std::string_view kScenesPage;

namespace schema {
namespace {

using OrderedJson = nlohmann::ordered_json;

// What the tables of docs/scenes.md say of a key.
struct KeyHelp {
  std::string unit, meaning;
};
using Help = std::map<std::string, std::map<std::string, KeyHelp>>;  // by section and key

std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  for (std::size_t at = 1; at < row.size();) {
    const std::size_t end = std::min(row.find(" |", at), row.size());
    cells.emplace_back(trimmed(row.substr(at, end - at)));
    at = end + 2;
  }
  return cells;
}

// Links as their words alone.
std::string without_links(std::string text) {
  for (std::size_t middle = text.find("]("); middle != std::string::npos; middle = text.find("](")) {
    const std::size_t open = text.rfind('[', middle), close = text.find(')', middle);
    if (open == std::string::npos || close == std::string::npos) break;
    text = text.substr(0, open) + text.substr(open + 1, middle - open - 1) + text.substr(close + 1);
  }
  return text;
}

// The tables that begin with "key | unit", below headings such as ### `[solver]`.
Help read_help() {
  Help help;
  std::string section;
  bool is_keys = false;
  for (std::size_t at = 0; at < kScenesPage.size();) {
    const std::size_t end = std::min(kScenesPage.find('\n', at), kScenesPage.size());
    const std::string_view line = kScenesPage.substr(at, end - at);
    at = end + 1;
    if (line.starts_with('#')) {
      const std::size_t open = line.find("`["), close = line.find("]`");
      section =
          open == std::string_view::npos || close == std::string_view::npos ? "" : std::string(line.substr(open + 2, close - open - 2));
      std::erase_if(section, [](char c) { return c == '[' || c == ']'; });
      section = section.substr(0, section.find('.'));
      continue;
    }
    if (!line.starts_with('|')) {
      is_keys = false;
      continue;
    }
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() > 1 && cells[0] == "key") is_keys = cells[1] == "unit";
    if (section.empty() || !is_keys || cells.size() < 2 || !cells[0].starts_with('`')) continue;
    for (std::size_t tick = cells[0].find('`'); tick != std::string::npos;) {
      const std::size_t last = cells[0].find('`', tick + 1);
      if (last == std::string::npos) break;
      help[section].try_emplace(cells[0].substr(tick + 1, last - tick - 1),
                                KeyHelp{cells[1], cells.size() > 4 ? without_links(cells[4]) : ""});
      tick = cells[0].find('`', last + 1);
    }
  }
  return help;
}

// What a rule says of values.
void tell(OrderedJson& key, const Range& range) {
  key["low"] = range.low;
  key["high"] = range.high;
  if (range.open_low) key["open_low"] = true;
  if (range.open_high) key["open_high"] = true;
}

template <class Rule, class T>
void tell_rule(OrderedJson& key, const Rule& rule, const T&) {
  if constexpr (std::is_same_v<Rule, Range>) {
    constexpr bool is_whole = std::is_integral_v<T>;
    key["type"] = is_whole ? "whole" : "number";
    tell(key, rule);
  } else if constexpr (requires { rule.names(); }) {
    key["type"] = "choice";
    key["choices"] = rule.names();
  } else if constexpr (requires { rule.choices.names(); }) {
    key["type"] = "other";
    key["choices"] = rule.choices.names();
  } else if constexpr (std::is_same_v<Rule, Flag>) {
    key["type"] = "flag";
  } else if constexpr (std::is_same_v<Rule, Dimension>) {
    key["type"] = "whole";
    key["low"] = 2;
    key["high"] = 3;
  } else if constexpr (std::is_same_v<Rule, AutoOr>) {
    key["type"] = "number";
    key["auto"] = true;
    tell(key, rule.range);
  } else if constexpr (std::is_same_v<Rule, FrameCount>) {
    key["type"] = "whole";
    key["low"] = 1;
    key["high"] = kMostFrames;
  } else if constexpr (std::is_same_v<Rule, Opening>) {
    key["type"] = "number";
    tell(key, rule.range);
  } else if constexpr (std::is_same_v<Rule, MovingCollider>) {
    key["type"] = "whole";
    key["low"] = 0;
  } else if constexpr (std::is_same_v<T, Vector> || std::is_same_v<T, std::optional<Vector>> || std::is_same_v<T, Quaternion> ||
                       std::is_same_v<T, Pair>) {
    key["type"] = "vector";
    if constexpr (requires { rule.range; }) tell(key, rule.range);
  } else if constexpr (std::is_same_v<Rule, ExistingFile> || std::is_same_v<Rule, FilePattern> || std::is_same_v<Rule, MotionFile>) {
    key["type"] = "file";
  } else if constexpr (std::is_same_v<Rule, PresetName>) {
    key["type"] = "choice";
    for (const Material& preset : presets()) key["choices"].push_back(preset.name);
  } else if constexpr (std::is_same_v<T, std::string>) {
    key["type"] = "text";
  } else {
    key["type"] = "other";
  }
}

// The value of a member as the scene would have it; null: it is left out.
template <class Rule, class T>
OrderedJson default_of(const Rule& rule, const T& value) {
  std::string text;
  if constexpr (requires { rule.write(value, 3); }) {
    text = rule.write(value, 3);
  } else if (value) {
    text = rule.write(*value, 3);
  }
  OrderedJson json = text.empty() ? OrderedJson(nullptr) : OrderedJson::parse(text, nullptr, false);
  return json.is_discarded() ? OrderedJson(nullptr) : json;
}

// Visitor: the keys of a section as JSON.
struct Describer {
  std::vector<OrderedJson> keys;

  template <class T, class Rule>
  void field(const Key& key, const T& value, const Rule& rule) {
    OrderedJson json{{"name", key.name}};
    tell_rule(json, rule, value);
    json["required"] = key.required;
    if (!key.required) json["default"] = default_of(rule, value);
    keys.push_back(std::move(json));
  }
  template <class T, class Rule>
  bool instead(const Key& key, const T& value, const Rule& rule) {
    field(key, value, rule);
    keys.back()["instead"] = true;
    return false;
  }
};

class SchemaWriter {
 public:
  template <class Section>
  void add(const std::string& name, bool is_array, Section section) {
    Describer all;
    describe(all, section);
    finish(name, is_array, std::move(all.keys));
  }

  // Keys of all shapes, with the shapes that have them.
  template <class Body>
  void add_body(const std::string& name, const Choices<ShapeKind>& shapes) {
    std::vector<OrderedJson> keys;
    std::map<std::string, std::vector<std::string>> users;
    for (const Choice<ShapeKind>& choice : shapes.all) {
      Body body;
      body.shape.kind = choice.value;
      Describer one;
      describe(one, body);
      for (OrderedJson& key : one.keys) {
        const std::string key_name = key["name"];
        if (!users.contains(key_name)) keys.push_back(key);
        if (users[key_name].empty() || users[key_name].back() != choice.name) users[key_name].emplace_back(choice.name);
      }
    }
    for (OrderedJson& key : keys) {
      const std::vector<std::string>& of = users[key["name"]];
      if (key["name"] == "shape") key.erase("default");
      if (of.size() < shapes.all.size()) key["shapes"] = of;
    }
    finish(name, true, std::move(keys));
  }

  std::string text() const { return OrderedJson{{"sections", sections_}}.dump(); }

 private:
  void finish(const std::string& name, bool is_array, std::vector<OrderedJson> keys) {
    for (OrderedJson& key : keys) {
      const KeyHelp& help = help_[name][key["name"]];
      key["unit"] = help.unit;
      key["help"] = help.meaning;
    }
    sections_.push_back({{"name", name}, {"array", is_array}, {"keys", std::move(keys)}});
  }

  Help help_ = read_help();
  std::vector<OrderedJson> sections_;
};

}  // namespace
}  // namespace schema

std::string scene_schema() {
  schema::SchemaWriter writer;
  writer.add("simulation", false, SimulationSettings{});
  writer.add("solver", false, SolverSettings{});
  writer.add("materials", false, Material{});
  writer.add_body<Snow>("snow", schema::kSnowShapes);
  writer.add_body<Source>("source", schema::kSourceShapes);
  writer.add_body<Collider>("collider", schema::kColliderShapes);
  writer.add_body<Sink>("sink", schema::kSinkShapes);
  writer.add("domain", false, Domain{});
  writer.add("window", false, Window{});
  writer.add("output", false, OutputSettings{});
  writer.add("render", false, RenderSettings{});
  return writer.text();
}

}  // namespace firn
