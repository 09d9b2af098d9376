// load_scene: finds the text of a scene, in a file or in the gallery.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/files.h"
#include "core/text.h"
#include "firn/scene.h"
#include "scene/document.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

const GalleryEntry* find_in_gallery(const std::string& name) {
  for (const GalleryEntry& entry : gallery())
    if (entry.name == name) return &entry;
  return nullptr;
}

[[noreturn]] void fail_not_found(const std::string& path_or_name) {
  std::vector<std::string_view> names;
  for (const GalleryEntry& entry : gallery()) names.push_back(entry.name);
  const std::string_view meant = nearest(fs::path(path_or_name).stem().string(), names);
  const std::string question = meant.empty() ? "" : fmt::format(", did you mean '{}'?", meant);
  throw UserError(Location{one_line(path_or_name)}, fmt::format("there is no such file or gallery scene{} `firn scenes` lists the gallery",
                                                                question.empty() ? "," : question));
}

}  // namespace

Scene load_scene(const std::string& path_or_name, const std::vector<std::string>& overrides) {
  if (path_or_name.find('\0') != std::string::npos) fail_not_found(path_or_name);
  std::error_code failure;
  const fs::file_status status = fs::status(path_or_name, failure);
  const bool is_file = fs::exists(status) && !fs::is_directory(status);
  if (is_file) return parse_scene(read_file(path_or_name, schema::kLargestText), path_or_name, overrides);
  if (const GalleryEntry* entry = find_in_gallery(path_or_name)) return parse_scene(entry->toml, entry->name + ".toml", overrides);
  if (fs::is_directory(status)) throw UserError(Location{path_or_name}, "is a folder, a scene is a TOML file");
  if (failure && status.type() != fs::file_type::not_found)
    throw UserError(Location{path_or_name}, fmt::format("cannot be opened: {}", failure.message()));
  fail_not_found(path_or_name);
}

}  // namespace firn

namespace firn::schema {
namespace {

constexpr std::string_view kForms = "expected section.key=value, materials.NAME.key=value or snow.INDEX.key=value";
constexpr std::string_view kSpaces = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

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

class Override {
 public:
  Override(const std::string& text, const std::string& file) : where_{"--set " + one_line(text)}, file_(file) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) fail(std::string(kForms));
    path_ = split_path(std::string_view(text).substr(0, equals));
    if (std::any_of(path_.begin(), path_.end(), [](const std::string& part) { return part.empty(); })) fail(std::string(kForms));
    fragment_ = parse_value(trimmed(std::string_view(text).substr(equals + 1)));
    region_.path = std::make_shared<const std::string>(where_.file);
  }

  void apply(toml::table& root) {
    const Section* section = find_section(path_[0]);
    if (!section) fail(fmt::format("unknown section '{}'{}", shortened(path_[0]), section_suggestion(path_[0])));
    switch (section->form) {
      case SectionForm::kTable: return set(child(root, path_[0]), 1);
      case SectionForm::kNamedTables:
        if (path_.size() != 3) fail(fmt::format("expected {}.NAME.key=value", section->name));
        return set(child(child(root, path_[0]), path_[1]), 2);
      case SectionForm::kBodies: return set_in_body(root);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw UserError(where_, message); }

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

  toml::table& child(toml::table& parent, const std::string& name) const {
    const auto found = parent.find(name);
    if (found == parent.end()) return *parent.insert(toml::key(name, region_), toml::table{}).first->second.as_table();
    toml::table* table = found->second.as_table();
    if (!table) throw UserError(locate(found->first.source(), file_), fmt::format("'{}' must be a table", shortened(name)));
    return *table;
  }

  void set_in_body(toml::table& root) {
    const std::string& name = path_[0];
    toml::node* found = root.get(name);
    toml::array* bodies = found ? found->as_array() : nullptr;
    const std::size_t count = bodies ? bodies->size() : 0;
    if (count == 0) fail(fmt::format("the scene has no [[{}]]", name));
    const std::string indices = count == 1 ? fmt::format("{}.0", name) : fmt::format("{0}.0 to {0}.{1}", name, count - 1);
    if (path_.size() == 2 && count > 1) fail(fmt::format("the scene has {} [[{}]], say which: {}", count, name, indices));
    std::size_t index = 0;
    if (path_.size() > 2) {
      const char* end = path_[1].data() + path_[1].size();
      const auto parsed = std::from_chars(path_[1].data(), end, index);
      if (parsed.ec != std::errc() || parsed.ptr != end || index >= count)
        fail(fmt::format("there is no {}.{}, allowed: {}", name, shortened(path_[1]), indices));
    }
    set(*bodies->get(index)->as_table(), path_.size() > 2 ? 2 : 1);
  }

  // Puts the value at the key that must be the last part of the path.
  void set(toml::table& table, std::size_t key_part) {
    if (path_.size() != key_part + 1) fail(std::string(kForms));
    const std::string& key = path_[key_part];
    if (path_[0] == "simulation") drop_other_length(table, key);
    table.erase(key);
    table.insert(toml::key(key, region_), std::move(*fragment_.get("value")));
  }

  // A scene's length has two spellings; the new one replaces both.
  static void drop_other_length(toml::table& simulation, const std::string& key) {
    if (key == "frames") simulation.erase("duration");
    if (key == "duration") simulation.erase("frames");
  }

  Location where_;
  const std::string& file_;
  std::vector<std::string> path_;
  toml::table fragment_;
  toml::source_region region_;
};

}  // namespace

void apply_override(toml::table& root, const std::string& text, const std::string& file) { Override(text, file).apply(root); }

}  // namespace firn::schema
