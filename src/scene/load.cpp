// load_scene: finds the text of a scene, in a file or in the gallery.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
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

// Seen from the program: installed, or in the folder it was built in.
std::string gallery_folder() {
  std::error_code failure;
  const fs::path folder = fs::read_symlink("/proc/self/exe", failure).parent_path();
  for (const char* way : {"../share/firn/scenes", "scenes", "../scenes"})
    if (fs::is_directory(folder / way, failure)) return (folder / way).lexically_normal().string();
  return FIRN_INSTALLED_SCENES;
}

std::vector<std::string> variants_of(const GalleryEntry& entry) {
  toml::table root = schema::parse_document(entry.toml, entry.name);
  return schema::take_variants(root, {}, entry.name);
}

Scene load_scene(const std::string& path_or_name, const std::vector<std::string>& overrides, const std::vector<std::string>& variants) {
  if (path_or_name.find('\0') != std::string::npos) fail_not_found(path_or_name);
  std::error_code failure;
  const fs::file_status status = fs::status(path_or_name, failure);
  const bool is_file = fs::exists(status) && !fs::is_directory(status);
  if (is_file) return parse_scene(read_file(path_or_name, schema::kLargestText), path_or_name, overrides, variants);
  if (const GalleryEntry* entry = find_in_gallery(path_or_name))
    return schema::parse({entry->toml, entry->name + ".toml", gallery_folder(), {}}, overrides, variants);
  if (fs::is_directory(status)) throw UserError(Location{path_or_name}, "is a folder, a scene is a TOML file");
  if (failure && status.type() != fs::file_type::not_found)
    throw UserError(Location{path_or_name}, fmt::format("cannot be opened: {}", failure.message()));
  fail_not_found(path_or_name);
}

}  // namespace firn
