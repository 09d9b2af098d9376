// Reader: values that say what kind of snow there is, and how it varies.
#include "scene/presets.h"
#include "scene/reader.h"

namespace firn::schema {

void Reader::read(const Entry& entry, Material& value, PresetName) const {
  std::vector<std::string_view> names;
  for (const Material& preset : presets()) names.push_back(preset.name);
  const std::string own_name = value.name;
  value = presets()[pick(entry, names, {})];
  value.name = own_name;
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
