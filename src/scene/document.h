// A scene's text as a tree of TOML nodes that know where they came from, before anybody asks what they mean.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "firn/scene.h"

namespace firn::schema {

inline constexpr std::size_t kLargestText = std::size_t{16} << 20;  // bytes of a scene file; what is bulky has formats of its own

// Letters, digits, '_' and '-', at least one.
bool is_plain_name(std::string_view name);

// The value as TOML reads it back, to the last bit.
std::string toml_string(std::string_view text);
std::string toml_number(double value);

enum class SectionForm { kTable, kNamedTables, kBodies, kVariants };

// A top-level name: [solver], [materials.NAME], [[snow]] or [variants.NAME].
struct Section {
  std::string_view name;
  SectionForm form;
};

// The section of that name, or null.
const Section* find_section(std::string_view name);
// ", did you mean 'solver'? allowed: ..."
std::string section_suggestion(std::string_view name);

// Parses, and checks that the top level holds nothing but sections in their right form.
toml::table parse_document(std::string_view text, const std::string& file);

// Parses a text that names itself in errors without line and column, as a command line option does.
toml::table parse_fragment(std::string_view text, const std::string& name);

// A scene's text with its name in errors, the folder that relative paths start from, and those that its files must lie in; none: anywhere.
struct SceneText {
  const std::string& toml;
  std::string file;
  std::filesystem::path folder;
  std::vector<std::string> folders;
};
Scene parse(const SceneText& text, const std::vector<std::string>& overrides, const std::vector<std::string>& variants);

// Where a node or key stands. Things that have no place in the file are at its beginning; those that came from an override name it.
Location locate(const toml::source_region& region, const std::string& file);

// A value from the command line, put into a scene's tree before it is read. `text` is "section.key=value"; bodies are addressed
// snow.0.radius, or snow.radius when there is one. `file` names the scene.
void apply_override(toml::table& root, const std::string& text, const std::string& file);

// Takes the variants out of a scene's tree and puts the changes of the chosen ones into it, one after the other. Returns all names.
std::vector<std::string> take_variants(toml::table& root, const std::vector<std::string>& chosen, const std::string& file);

}  // namespace firn::schema
