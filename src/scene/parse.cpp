// parse_scene: from the tree of a scene file to a Scene, section by section.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "core/text.h"
#include "firn/scene.h"
#include "scene/document.h"
#include "scene/rules.h"
#include "scene/scene_files.h"
#include "scene/schema.h"
#include "scene/visitors.h"

namespace firn {
namespace schema {
namespace {

constexpr std::string_view kDefaultMaterial = "default";
constexpr std::size_t kMostMaterials = std::numeric_limits<std::uint16_t>::max();  // a particle names its own in 16 bits
constexpr double kFrameTolerance = 1e-3;                                           // of a frame: 0.0833 s at 24 fps are two frames

const toml::table& section_table(const toml::table& root, std::string_view name) {
  static const toml::table empty;
  const toml::table* table = root[name].as_table();
  return table ? *table : empty;
}

// What keys of a section must be to each other.
template <class Section>
void check_together(const Reader& reader, const Section& section) {
  if constexpr (requires { section.end; }) {
    if (section.end && *section.end <= section.start)
      throw UserError(reader.where("end"), fmt::format("end = {}: must be greater than start, {}", *section.end, section.start));
  }
}

void check_together(const Reader& reader, const SolverSettings& solver) {
  if (solver.integrator == Integrator::kDensityLimited && solver.transfer == Transfer::kApic)
    throw UserError(reader.where("transfer"), "transfer = \"apic\" and integrator = \"density-limited\" exclude each other, use \"flip\"");
}

void check_together(const Reader& reader, const RenderSettings& render) {
  if (render.position.has_value() != render.target.has_value())
    throw UserError(reader.where(render.position ? "position" : "target"),
                    fmt::format("a camera needs 'position' and 'target', '{}' is missing", render.position ? "target" : "position"));
  if (render.position) check_sight(reader.where("position"), *render.position, *render.target);
  if (render.sky_turn != 0 && render.sky_image.empty())
    throw UserError(reader.where("sky_turn"), "'sky_turn' turns the picture of a sky, give 'sky_image'");
  if (render.interpolation != Interpolation::kLinear && render.keys.empty())
    throw UserError(reader.where("interpolation"), "'interpolation' is of the camera's way between keys, give 'keys'");
}

template <class T>
void read_all(Reader& reader, T& section) {
  reader.check_names(names_of(section));
  describe(reader, section);
  reader.check_all_used();
  check_together(reader, section);
}

template <class Box>
std::optional<Box> read_box(const toml::table& root, std::string_view name, Context& context) {
  if (!root.contains(name)) return std::nullopt;
  Reader reader(section_table(root, name), fmt::format("[{}]", name), context);
  Box box;
  read_all(reader, box);
  for (int d = 0; d < context.dimension; ++d)
    if (box.lower[d] >= box.upper[d])
      throw UserError(reader.where("upper"),
                      fmt::format("upper: must be greater than lower in every component, component {} is {} and {} there", d, box.upper[d],
                                  box.lower[d]));
  if constexpr (requires { box.location; }) box.location = reader.where("lower");
  return box;
}

SimulationSettings read_simulation(const toml::table& root, Context& context) {
  Reader reader(section_table(root, "simulation"), "[simulation]", context);
  SimulationSettings settings;
  read_all(reader, settings);
  settings.spacing_location = reader.where("spacing");
  const toml::table& table = section_table(root, "simulation");
  settings.duration_location = reader.where(table.contains("frames") ? "frames" : "duration");
  if (settings.duration * settings.fps > kMostFrames)
    throw UserError(settings.duration_location,
                    fmt::format("{} s at {} fps: must be at most {} frames", settings.duration, settings.fps, kMostFrames));
  context.spacing = settings.spacing;
  return settings;
}

template <class Settings>
Settings read_settings(const toml::table& root, std::string_view name, Context& context) {
  Reader reader(section_table(root, name), fmt::format("[{}]", name), context);
  Settings settings;
  read_all(reader, settings);
  return settings;
}

RenderSettings read_render(const toml::table& root, Context& context) {
  Reader reader(section_table(root, "render"), "[render]", context);
  RenderSettings settings;
  read_all(reader, settings);
  settings.location = reader.where(settings.keys.empty() ? "position" : "keys");
  settings.sky_location = reader.where("sky_image");
  return settings;
}

Material read_material(const toml::key& key, const toml::node& node, Context& context) {
  const Location where = locate(key.source(), context.file);
  const std::string shown = shortened(key.str());
  if (!node.is_table()) throw UserError(where, fmt::format("'{}' must stand in a table [materials.NAME]", shown));
  if (!is_plain_name(key.str())) throw UserError(where, fmt::format("material '{}': a name has letters, digits, '_' and '-'", shown));
  Material material;
  material.name = key.str();
  Reader reader(*node.as_table(), fmt::format("[materials.{}]", shown), context);
  read_all(reader, material);
  return material;
}

// "default" first, then by name: independent of the order in the file.
std::vector<Material> read_materials(const toml::table& root, Context& context) {
  std::vector<Material> materials{Material{}};
  const toml::table& table = section_table(root, "materials");
  for (const auto& [key, node] : table) {
    Material material = read_material(key, node, context);
    if (material.name == kDefaultMaterial) {
      materials.front() = std::move(material);
    } else {
      materials.push_back(std::move(material));
    }
  }
  for (const Material& material : materials) context.materials.push_back(material.name);
  return materials;
}

// Presets that bodies name without a table of their own, as if there were one.
void add_presets(const toml::table& root, Scene& scene, const Context& context) {
  for (std::size_t m = scene.materials.size(); m < context.materials.size(); ++m) {
    const auto preset = std::find_if(presets().begin(), presets().end(), [&](const Material& p) { return p.name == context.materials[m]; });
    scene.materials.push_back(*preset);
  }
  if (scene.materials.size() > kMostMaterials)
    throw UserError(locate(section_table(root, "materials").source(), context.file),
                    fmt::format("{} materials, at most {}", scene.materials.size(), kMostMaterials));
  std::sort(scene.materials.begin() + 1, scene.materials.end(), [](const Material& a, const Material& b) { return a.name < b.name; });
}

const Choices<ShapeKind>& shapes_for(const Snow&) { return kSnowShapes; }
const Choices<ShapeKind>& shapes_for(const Source&) { return kSourceShapes; }
const Choices<ShapeKind>& shapes_for(const Collider&) { return kColliderShapes; }
const Choices<ShapeKind>& shapes_for(const Sink&) { return kSinkShapes; }

bool moves(const Collider& collider) {
  constexpr Vector kStill{0, 0, 0};
  return collider.keys.size() > 1 || collider.velocity != kStill || collider.spin != kStill;
}

// The keys of all shapes together, to tell a misspelt `shape` from a missing one.
template <class Body>
Names names_of_any(Body body) {
  Names names;
  for (const Choice<ShapeKind>& choice : shapes_for(body).all) {
    body.shape.kind = choice.value;
    describe(names, body);
  }
  return names;
}

template <class Body>
void check_body(const Body&, const Reader&) {}

void check_body(const Snow& snow, const Reader& reader) {
  if (snow.start > 0 && snow.initial_volume == InitialVolume::kGrid)
    throw UserError(reader.where("initial_volume"),
                    "initial_volume = \"grid\" and start exclude each other: of snow that comes later V0 is mass over density, \"shape\"");
  const int dimension = reader.context().dimension;
  if (snow.sampling == Sampling::kRegular &&
      std::pow(points_per_axis(snow.particles_per_cell, dimension), dimension) != snow.particles_per_cell)
    throw UserError(reader.where("particles_per_cell"),
                    fmt::format("particles_per_cell = {}: sampling = \"regular\" has as many points on every axis of a cell, use {}",
                                snow.particles_per_cell, dimension == 3 ? "1, 8, 27, 64, ..." : "1, 4, 9, 16, ..."));
}

void check_body(const Collider& collider, const Reader& reader) {
  if (collider.interpolation != Interpolation::kLinear && collider.keys.empty())
    throw UserError(reader.where("interpolation"), "'interpolation' is of motion between keys, give 'keys' or 'keys_file'");
  if (collider.roughness && collider.look != Look::kMetal)
    throw UserError(reader.where("roughness"), "'roughness' is of metal, give look = \"metal\"");
}

template <class Body>
Body read_body(const toml::table& table, const std::string& label, Context& context) {
  Body body;
  Reader any(table, label, context);
  if (!table.contains("shape")) any.check_names(names_of_any(body));
  any.field(required("shape"), body.shape.kind, shapes_for(body));
  body.location = any.where("shape");
  Reader reader(table, fmt::format("{} of shape \"{}\"", label, table["shape"].ref<std::string>()), context);
  read_all(reader, body);
  check_body(body, reader);
  return body;
}

template <class Body>
std::vector<Body> read_bodies(const toml::table& root, std::string_view name, Context& context) {
  std::vector<Body> bodies;
  const toml::array* tables = root[name].as_array();
  if (!tables) return bodies;
  for (const toml::node& node : *tables) bodies.push_back(read_body<Body>(*node.as_table(), fmt::format("[[{}]]", name), context));
  return bodies;
}

void check_key_count(const Scene& scene) {
  std::size_t count = 0;
  const auto add = [&count](const auto& keys, const Location& where) {
    count += keys.size();
    if (count > kMostMotionKeys) throw UserError(where, fmt::format("more than {} motion keys in one scene", kMostMotionKeys));
  };
  for (const Collider& collider : scene.colliders) add(collider.keys, collider.location);
  add(scene.render.keys, scene.render.location);
}

// Their columns in stats.csv must not be mixed up.
void check_collider_names(const Scene& scene) {
  std::map<std::string, std::size_t> taken;
  for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
    const auto [other, is_new] = taken.emplace(name_of(scene, c), c);
    if (!is_new)
      throw UserError(scene.colliders[c].location,
                      fmt::format("name = \"{}\": collider {} has this name, every collider needs its own", other->first, other->second));
  }
}

Scene read_scene(const toml::table& root, Context& context) {
  Scene scene;
  scene.name = std::filesystem::path(context.file).stem().string();
  scene.simulation = read_simulation(root, context);
  scene.solver = read_settings<SolverSettings>(root, "solver", context);
  scene.materials = read_materials(root, context);
  scene.snow = read_bodies<Snow>(root, "snow", context);
  scene.sources = read_bodies<Source>(root, "source", context);
  add_presets(root, scene, context);
  scene.colliders = read_bodies<Collider>(root, "collider", context);
  for (const Collider& collider : scene.colliders) context.collider_moves.push_back(moves(collider));
  scene.sinks = read_bodies<Sink>(root, "sink", context);
  scene.domain = read_box<Domain>(root, "domain", context);
  scene.window = read_box<Window>(root, "window", context);
  scene.output = read_settings<OutputSettings>(root, "output", context);
  scene.render = read_render(root, context);
  check_key_count(scene);
  check_collider_names(scene);
  if (scene.snow.empty() && scene.sources.empty())
    throw UserError({context.file, 1, 1}, "the scene has no snow, add a section [[snow]] or [[source]]");
  return scene;
}

}  // namespace
}  // namespace schema

Scene schema::parse(const SceneText& text, const std::vector<std::string>& overrides, const std::vector<std::string>& variants) {
  if (text.toml.empty()) throw UserError({text.file, 1, 1}, "the file is empty, a scene needs [simulation] and [[snow]]");
  toml::table root = parse_document(text.toml, text.file);
  std::vector<std::string> all_variants = take_variants(root, variants, text.file);
  for (const std::string& change : overrides) apply_override(root, change, text.file);
  Context context;
  context.file = text.file;
  context.folder = text.folder;
  context.folders = text.folders;
  Scene scene = read_scene(root, context);
  scene.variants = std::move(all_variants);
  for (const std::string& variant : variants) scene.name.append("_").append(variant);
  return scene;
}

Scene parse_scene(const std::string& toml, const std::string& file, const std::vector<std::string>& overrides,
                  const std::vector<std::string>& variants, const std::vector<std::string>& folders) {
  return schema::parse({toml, file, std::filesystem::path(file).parent_path(), folders}, overrides, variants);
}

std::string name_of(const Scene& scene, std::size_t collider) {
  const std::string& own = scene.colliders[collider].name;
  return own.empty() ? fmt::format("collider_{}", collider) : own;
}

int Scene::frames() const { return static_cast<int>(std::floor(simulation.duration * simulation.fps + schema::kFrameTolerance)); }

}  // namespace firn
