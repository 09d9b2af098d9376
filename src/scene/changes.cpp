// Values put into a scene's tree before it is read: by the command line, and by the scene's variants.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "scene/document.h"

namespace firn::schema {
namespace {

constexpr std::string_view kForms = "expected section.key=value, materials.NAME.key=value or snow.INDEX.key=value";

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t dot = path.find('.');
    parts.emplace_back(trimmed(path.substr(0, dot)));
    if (dot == std::string_view::npos) return parts;
    path.remove_prefix(dot + 1);
  }
}

// Text without anything that TOML would use for structure.
bool is_bare_word(std::string_view value) { return value.find_first_of("\"'[]{},=#") == std::string_view::npos; }

// Where values go. Errors are at `where`, which is that of the change and not of what is changed.
class Target {
 public:
  Target(toml::table& root, const std::string& file) : root_(root), file_(file) {}

  toml::table& child(toml::table& parent, const toml::key& name) const {
    const auto found = parent.find(name.str());
    if (found == parent.end()) return *parent.insert(name, toml::table{}).first->second.as_table();
    toml::table* table = found->second.as_table();
    if (!table) throw UserError(locate(found->first.source(), file_), fmt::format("'{}' must be a table", shortened(name.str())));
    return *table;
  }
  toml::table& section(const toml::key& name) const { return child(root_, name); }

  // `index` is empty where the scene has only one such body.
  toml::table& body(const std::string& name, std::string_view index, const Location& where) const {
    toml::node* found = root_.get(name);
    toml::array* bodies = found ? found->as_array() : nullptr;
    const std::size_t count = bodies ? bodies->size() : 0;
    if (count == 0) throw UserError(where, fmt::format("the scene has no [[{}]]", name));
    const std::string indices = count == 1 ? fmt::format("{}.0", name) : fmt::format("{0}.0 to {0}.{1}", name, count - 1);
    if (index.empty() && count > 1) throw UserError(where, fmt::format("the scene has {} [[{}]], say which: {}", count, name, indices));
    std::size_t number = 0;
    if (!index.empty()) {
      const char* end = index.data() + index.size();
      const auto parsed = std::from_chars(index.data(), end, number);
      if (parsed.ec != std::errc() || parsed.ptr != end || number >= count)
        throw UserError(where, fmt::format("there is no {}.{}, allowed: {}", name, shortened(index), indices));
    }
    return *bodies->get(number)->as_table();
  }

  static void set(toml::table& table, std::string_view section, const toml::key& key, toml::node&& value) {
    // A scene's length has two spellings; the new one replaces both.
    if (section == "simulation" && key.str() == "frames") table.erase("duration");
    if (section == "simulation" && key.str() == "duration") table.erase("frames");
    table.erase(key.str());
    table.insert(key, std::move(value));
  }

 private:
  toml::table& root_;
  const std::string& file_;
};

class Override {
 public:
  explicit Override(const std::string& text) : where_{"--set " + one_line(text)} {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) fail(std::string(kForms));
    path_ = split_path(std::string_view(text).substr(0, equals));
    if (std::any_of(path_.begin(), path_.end(), [](const std::string& part) { return part.empty(); })) fail(std::string(kForms));
    fragment_ = parse_value(trimmed(std::string_view(text).substr(equals + 1)));
    region_.path = std::make_shared<const std::string>(where_.file);
  }

  void apply(const Target& target) {
    const Section* section = find_section(path_[0]);
    if (!section) fail(fmt::format("unknown section '{}'{}", shortened(path_[0]), section_suggestion(path_[0])));
    switch (section->form) {
      case SectionForm::kTable: return set(target.section(key(0)), 1);
      case SectionForm::kNamedTables:
        if (path_.size() != 3) fail(fmt::format("expected {}.NAME.key=value", section->name));
        return set(target.child(target.section(key(0)), key(1)), 2);
      case SectionForm::kBodies: {
        const bool has_index = path_.size() > 2;
        return set(target.body(path_[0], has_index ? path_[1] : "", where_), has_index ? 2 : 1);
      }
      case SectionForm::kVariants: fail("variants are part of the scene's text, --variant NAME chooses one");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw UserError(where_, message); }

  toml::key key(std::size_t part) const { return toml::key(path_[part], region_); }

  toml::table parse_value(std::string_view value) const {
    if (value.empty()) fail(fmt::format("the value is missing, {}", kForms));
    if (value.find_first_of("\r\n") != std::string_view::npos) fail("the value must be on one line");
    try {
      return parse_fragment(fmt::format("value = {}", value), where_.file);
    } catch (const UserError&) {
      if (!is_bare_word(value) || !is_utf8(value)) throw;
      toml::table fragment;
      fragment.insert("value", std::string(value));
      return fragment;
    }
  }

  // Puts the value at the key that must be the last part of the path.
  void set(toml::table& table, std::size_t key_part) {
    if (path_.size() != key_part + 1) fail(std::string(kForms));
    Target::set(table, path_[0], key(key_part), std::move(*fragment_.get("value")));
  }

  Location where_;
  std::vector<std::string> path_;
  toml::table fragment_;
  toml::source_region region_;
};

// A variant's table has sections as a scene has them, but for bodies, which are tables by their number: snow.0.radius.
class Variant {
 public:
  Variant(const Target& target, const std::string& file) : target_(target), file_(file) {}

  void apply(toml::table& changes) const {
    for (auto&& [key, node] : changes) {
      const Section* section = find_section(key.str());
      if (!section || section->form == SectionForm::kVariants)
        fail(key, fmt::format("unknown section '{}'{}", shortened(key.str()), section_suggestion(key.str())));
      toml::table& values = table_at(key, node);
      switch (section->form) {
        case SectionForm::kTable: set_all(values, key.str(), target_.section(key)); break;
        case SectionForm::kNamedTables:
          for (auto&& [name, named] : values) set_all(table_at(name, named), key.str(), target_.child(target_.section(key), name));
          break;
        default: apply_to_bodies(std::string(key.str()), values);
      }
    }
  }

 private:
  [[noreturn]] void fail(const toml::key& at, const std::string& message) const {
    throw UserError(locate(at.source(), file_), "in a variant: " + message);
  }

  toml::table& table_at(const toml::key& key, toml::node& node) const {
    if (toml::table* table = node.as_table()) return *table;
    fail(key, fmt::format("'{}' must be a table; changes are written section.key = value, of bodies snow.0.radius = 0.2", key.str()));
  }

  void apply_to_bodies(const std::string& name, toml::table& values) const {
    for (auto&& [key, node] : values) {
      const bool is_index = key.str().find_first_not_of("0123456789") == std::string_view::npos;
      if (is_index) {
        set_all(table_at(key, node), name, target_.body(name, key.str(), locate(key.source(), file_)));
      } else {
        Target::set(target_.body(name, "", locate(key.source(), file_)), name, key, std::move(node));
      }
    }
  }

  static void set_all(toml::table& values, std::string_view section, toml::table& to) {
    for (auto&& [key, node] : values) Target::set(to, section, key, std::move(node));
  }

  const Target& target_;
  const std::string& file_;
};

}  // namespace

void apply_override(toml::table& root, const std::string& text, const std::string& file) { Override(text).apply(Target(root, file)); }

std::vector<std::string> take_variants(toml::table& root, const std::vector<std::string>& chosen, const std::string& file) {
  std::vector<std::string> names;
  toml::table variants;
  if (toml::table* found = root["variants"].as_table()) {
    variants = std::move(*found);
    root.erase("variants");
  }
  std::vector<const toml::key*> keys;
  for (const auto& [key, node] : variants) keys.push_back(&key);
  std::sort(keys.begin(), keys.end(), [](const toml::key* a, const toml::key* b) { return a->source().begin < b->source().begin; });
  for (const toml::key* key : keys) names.emplace_back(key->str());
  const Target target(root, file);
  for (const std::string& name : chosen) {
    toml::table* changes = variants[name].as_table();
    if (!changes && names.empty()) throw UserError(Location{file}, fmt::format("the scene has no variants, '{}' is none", shortened(name)));
    const std::vector<std::string_view> known(names.begin(), names.end());
    if (!changes) throw UserError(Location{file}, fmt::format("there is no variant '{}'{}", shortened(name), suggestion(name, known)));
    Variant(target, file).apply(*changes);
  }
  return names;
}

}  // namespace firn::schema
