// The two that go through the keys of a table as scene/schema.h lists them: Reader with a table of a file, Writer to the text of one.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "firn/scene.h"
#include "scene/rules.h"
#include "scene/schema.h"

namespace firn::schema {

// A key that is there.
struct Entry {
  std::string_view name;
  const toml::node& node;
  Location where;
};

// Throws "key = value: must be ...".
[[noreturn]] void reject(const Entry& entry, std::string_view must_be);
std::string refusal(const Entry& entry, std::string_view must_be);  // what it says

// Throws at `where` when the camera stands on what it looks at.
void check_sight(const Location& where, const Vector& position, const Vector& target);

// The value of an entry that has to have this form.
const std::string& string_value(const Entry& entry, std::string_view must_be);
const toml::array& array_value(const Entry& entry, std::string_view must_be);
std::string existing_file(const Entry& entry, const Reader& in);

// What a key's meaning depends on beyond its own table.
struct Context {
  std::string file;                    // names the scene in errors
  std::filesystem::path folder;        // where relative paths start
  std::vector<std::string> folders;    // that files must lie in; none: anywhere
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

  // The place of the key, or of the table when it is not there.
  Location where(std::string_view key) const;
  Context& context() const { return context_; }
  // For a table that stands as a value of this one; `form` says what it should look like.
  Reader inside(const Entry& entry, const toml::node& node, std::string_view form) const;

 private:
  std::optional<Entry> find(const Key& key);

  template <class T, class Rule>
  void read(const Entry& entry, T& value, const Rule& rule) const {
    if constexpr (requires { rule.read(entry, *this, value); }) {
      rule.read(entry, *this, value);
    } else {
      rule.read(entry, *this, value.emplace());
    }
  }

  const toml::table& table_;
  std::string label_;
  Context& context_;
  std::set<std::string_view> used_;
  std::string_view alternative_;  // the last key that stands instead of others
};

// "key = value" for every key.
class Writer {
 public:
  explicit Writer(int dimension) : dimension_(dimension) {}

  template <class T, class Rule>
  void field(const Key& key, const T& value, const Rule& rule) {
    const std::string text = written(value, rule);
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
  template <class T, class Rule>
  std::string written(const T& value, const Rule& rule) const {
    if constexpr (requires { rule.write(value, dimension_); }) {
      return rule.write(value, dimension_);
    } else {
      return value ? rule.write(*value, dimension_) : "";
    }
  }

  int dimension_;
  std::vector<std::string> pairs_;
};

}  // namespace firn::schema
