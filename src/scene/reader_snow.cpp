// Reader: values that say what kind of snow there is, and how it varies.
#include <algorithm>

#include "scene/presets.h"
#include "scene/reader.h"
#include "scene/text.h"

namespace firn::schema {

void Reader::read(const Entry& entry, Material& value, PresetName) const {
  std::vector<std::string_view> names;
  for (const Material& preset : presets()) names.push_back(preset.name);
  const std::string own_name = value.name;
  value = presets()[pick(entry, names, {})];
  value.name = own_name;
}

void Reader::read(const Entry& entry, std::string& value, MaterialName) const {
  const std::string& name = string_value(entry, "the name of a material");
  std::vector<std::string_view> known(context_.materials.begin(), context_.materials.end());
  const std::size_t tables = known.size();
  for (const Material& preset : presets())
    if (std::find(known.begin(), known.end(), preset.name) == known.end()) known.push_back(preset.name);
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end())
    throw UserError(entry.where, fmt::format("unknown material \"{}\"{}", shortened(name), suggestion(name, known, "\"")));
  if (static_cast<std::size_t>(found - known.begin()) >= tables) context_.materials.push_back(name);
  value = name;
}

void Reader::read(const Entry& entry, std::optional<double>& value, const Maybe& rule) const { value = number(entry, rule.range); }

void Reader::read(const Entry& entry, std::vector<SnowNoise>& value, Noises) const {
  constexpr std::string_view kForm = "{ scale, octaves, seed, stiffness, ... } or a list of them";
  const auto note_place = [&](const Reader& reader, SnowNoise& noise) { noise.location = reader.where(""); };
  const auto read_one = [&](const toml::node& node) { value.push_back(read_table<SnowNoise>(entry, node, kForm, note_place)); };
  value.clear();
  if (entry.node.is_table()) return read_one(entry.node);
  for (const toml::node& element : array_value(entry, kForm)) read_one(element);
}

void Reader::read(const Entry& entry, std::optional<SnowShell>& value, Shell) const {
  const auto note_place = [&](const Reader&, SnowShell& shell) { shell.location = entry.where; };
  value = read_table<SnowShell>(entry, entry.node, "{ depth, stiffness, hardening, ... }", note_place);
}

void Reader::read(const Entry& entry, std::vector<SnowLayer>& value, Layers) const {
  constexpr std::string_view kForm = "a list of { above, below, material }, at least one";
  const auto is_layer = [](const Reader& reader, const SnowLayer& layer) {
    if (!layer.above && !layer.below) throw UserError(reader.where(""), "a layer needs 'above', 'below' or both");
    if (layer.above && layer.below && *layer.above >= *layer.below)
      throw UserError(reader.where("above"), fmt::format("above = {}: must be less than below = {}", *layer.above, *layer.below));
  };
  value.clear();
  for (const toml::node& element : array_value(entry, kForm)) value.push_back(read_table<SnowLayer>(entry, element, kForm, is_layer));
}

}  // namespace firn::schema
