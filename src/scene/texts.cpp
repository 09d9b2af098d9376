// The rules of texts: names of files, materials and formats. Also the materials that have names of their own.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/text.h"
#include "firn/files.h"
#include "scene/document.h"
#include "scene/rules.h"
#include "scene/scene_files.h"
#include "scene/visitors.h"

namespace firn {

// After Stomakhin et al. 2013, section 5 and figure 8: smaller thresholds make powder, larger ones chunks; more hardening and stiffness
// make snow icy and brittle, less of both muddy and ductile. Densities are of the classes that snow science tabulates: new snow 50 to
// 100, wind-packed 300 to 400, wet 400 to 550, firn and refrozen snow up to 830 kg/m³. How far to go was decided by looking: docs/scenes.md
// shows the same block of each breaking over a wedge, with figures.
const std::vector<Material>& presets() {
  static const std::vector<Material> all{
      // name, young_modulus, poisson_ratio, hardening, critical_compression, critical_stretch, density, hardening_limit
      {"powder", 1.4e5, 0.2, 10, 1.5e-2, 3e-4, 100, 100},    // torn by the least pull
      {"packed", 1.4e5, 0.2, 10, 2.5e-2, 7.5e-3, 400, 100},  // their table 2
      {"wet", 1e5, 0.2, 5, 4e-2, 1.5e-2, 500, 100},          // water holds it together: it gives way before it breaks
      {"icy", 1e6, 0.2, 20, 2.5e-2, 7.5e-3, 700, 100},       // stiff, and gone to pieces where it yields
      {"muddy", 8e4, 0.2, 3, 3.5e-2, 7.5e-3, 600, 100},      // the reverse of icy
      {"crust", 6e5, 0.2, 15, 5e-2, 1.2e-2, 450, 100},       // refrozen: stiff and strong, it breaks as slabs
      {"chunky", 1.4e5, 0.2, 10, 6e-2, 2e-2, 350, 100},      // as packed, but it takes more than twice the strain to break
  };
  return all;
}

namespace schema {
namespace {

namespace fs = std::filesystem;

// To be asked before anything of the file is looked at.
void check_place(const Entry& entry, const Reader& in, const std::string& path) {
  const std::vector<std::string>& folders = in.context().folders;
  if (folders.empty() || std::any_of(folders.begin(), folders.end(), [&](const fs::path& f) { return is_inside(f, path); })) return;
  const std::string must_be = fmt::format("in one of the folders that files may be read from, {} is outside of them", one_line(path));
  throw ForbiddenFile(entry.where, refusal(entry, must_be));
}

// The path that an entry names, from the scene file's folder on.
std::string path_of(const Entry& entry, const Reader& in) {
  const std::string& name = string_value(entry, "the name of a file");
  if (name.find('\0') != std::string::npos) reject(entry, "the name of a file, without zero bytes");
  std::error_code no_folder;
  const fs::path path = fs::absolute(in.context().folder / name, no_folder).lexically_normal();
  if (no_folder) reject(entry, fmt::format("an existing file, there is no {}", one_line(path.string())));
  check_place(entry, in, path.string());
  return path.string();
}

}  // namespace

const std::string& string_value(const Entry& entry, std::string_view must_be) {
  const auto* value = entry.node.as_string();
  if (!value || value->get().empty()) reject(entry, must_be);
  return value->get();
}

std::string existing_file(const Entry& entry, const Reader& in) {
  const std::string path = path_of(entry, in), shown_path = one_line(path);
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (status.type() == fs::file_type::not_found) reject(entry, fmt::format("an existing file, there is no {}", shown_path));
  if (failure) reject(entry, fmt::format("a readable file, {}: {}", shown_path, failure.message()));
  if (status.type() != fs::file_type::regular) reject(entry, fmt::format("a regular file, {} is not", shown_path));
  if (!is_utf8(path)) reject(entry, fmt::format("in a folder whose name is UTF-8, {} is not", shown_path));
  return path;
}

std::string quoted(std::string_view text) { return toml_string(text); }

std::size_t pick(const Entry& entry, const std::vector<std::string_view>& names) {
  const auto* word = entry.node.as_string();
  if (!word) reject(entry, "one of " + listed(names, "\""));
  const auto found = std::find(names.begin(), names.end(), word->get());
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string shown = shortened(word->get());
  throw UserError(entry.where, fmt::format("{} = \"{}\" is not known here{}", entry.name, shown, suggestion(word->get(), names, "\"")));
}

void AnyText::read(const Entry& entry, const Reader&, std::string& value) const {
  value = string_value(entry, "a text");
  if (value.find('\0') != std::string::npos) reject(entry, "a text without zero bytes");
}
std::string AnyText::write(const std::string& value, int) const { return value.empty() ? "" : toml_string(value); }

void ColumnName::read(const Entry& entry, const Reader&, std::string& value) const {
  value = string_value(entry, "a name");
  if (!is_plain_name(value)) reject(entry, "a name of letters, digits, '_' and '-'");
}
std::string ColumnName::write(const std::string& value, int) const { return value.empty() ? "" : toml_string(value); }

void ExistingFile::read(const Entry& entry, const Reader& in, std::string& value) const { value = existing_file(entry, in); }
std::string ExistingFile::write(const std::string& value, int) const { return value.empty() ? "" : toml_string(value); }

void FilePattern::read(const Entry& entry, const Reader& in, std::string& value) const {
  const std::string path = path_of(entry, in);
  std::vector<std::string> files;
  try {
    files = find_sequence(path);
  } catch (const UserError& e) {
    reject(entry, fmt::format("the name of files with # for their number: {}", one_line(e.what())));
  }
  for (const std::string& file : files) check_place(entry, in, file);
  if (!is_utf8(path)) reject(entry, fmt::format("in a folder whose name is UTF-8, {} is not", one_line(path)));
  value = path;
}
std::string FilePattern::write(const std::string& value, int) const { return toml_string(value); }

void MaterialName::read(const Entry& entry, const Reader& in, std::string& value) const {
  const std::string& name = string_value(entry, "the name of a material");
  std::vector<std::string_view> known(in.context().materials.begin(), in.context().materials.end());
  const std::size_t tables = known.size();
  for (const Material& preset : presets())
    if (std::find(known.begin(), known.end(), preset.name) == known.end()) known.push_back(preset.name);
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end())
    throw UserError(entry.where, fmt::format("unknown material \"{}\"{}", shortened(name), suggestion(name, known, "\"")));
  if (static_cast<std::size_t>(found - known.begin()) >= tables) in.context().materials.push_back(name);
  value = name;
}
std::string MaterialName::write(const std::string& value, int) const { return toml_string(value); }

void Formats::read(const Entry& entry, const Reader&, std::vector<std::string>& value) const {
  const std::string must_be = "a list of formats, allowed: " + listed(choices.names(), "\"");
  value.clear();
  for (const toml::node& element : array_value(entry, must_be)) {
    const std::size_t picked = pick({entry.name, element, entry.where}, choices.names());
    const std::string format(choices.all[picked].value);
    if (std::find(value.begin(), value.end(), format) != value.end()) reject(entry, "a list without repetitions");
    value.push_back(format);
  }
}
std::string Formats::write(const std::vector<std::string>& value, int) const {
  std::vector<std::string> names;
  for (const std::string& format : value) names.push_back(toml_string(format));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

void GridFieldList::read(const Entry& entry, const Reader&, std::vector<GridField>& value) const {
  const toml::array* fields = entry.node.as_array();
  if (!fields) reject(entry, "a list of what is written of the grid, allowed: " + listed(choices.names(), "\""));
  value.clear();
  for (const toml::node& element : *fields) {
    const GridField field = choices.all[pick({entry.name, element, entry.where}, choices.names())].value;
    if (std::find(value.begin(), value.end(), field) != value.end()) reject(entry, "a list without repetitions");
    value.push_back(field);
  }
}
std::string GridFieldList::write(const std::vector<GridField>& value, int) const {
  std::vector<std::string> names;
  for (const GridField field : value) names.push_back(toml_string(kGridFieldNames[static_cast<int>(field)]));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

void PresetName::read(const Entry& entry, const Reader&, Material& value) const {
  std::vector<std::string_view> names;
  for (const Material& preset : presets()) names.push_back(preset.name);
  const std::string own_name = value.name;
  value = presets()[pick(entry, names)];
  value.name = own_name;
}
std::string PresetName::write(const Material&, int) const { return {}; }  // the other keys say it

}  // namespace schema
}  // namespace firn
