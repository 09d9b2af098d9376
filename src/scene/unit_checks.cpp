#include "scene/unit_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace firn {
namespace {

constexpr double kEarth = 9.81;              // m/s²
constexpr double kMostGravity = 100;         // m/s²; Jupiter has 25
constexpr double kSoftest = 1e3;             // Pa; the softest snow that is measured has 1e4
constexpr double kStiffest = 2e10;           // Pa; ice has 9e9
constexpr double kLightest = 10;             // kg/m³; the loosest new snow has 20
constexpr double kHeaviest = 2000;           // kg/m³; ice has 917
constexpr double kLargestBall = 5;           // m, radius
constexpr double kOddRatio = 50;             // of a file's size to all else: centimetres for metres make 100
constexpr double kRoughestDistance = 0.1;    // of the distance between particles, that positions in a file may be apart

double longest(const Vec<double, 3>& size) { return std::max({size[0], size[1], size[2]}); }

const Location& first_snow(const Scene& scene) { return scene.snow.empty() ? scene.sources.front().location : scene.snow.front().location; }

void check_gravity(const Scene& scene, std::vector<std::string>& warnings) {
  const double g = norm(to_vec(scene.simulation.gravity));
  if (g > kMostGravity)
    warnings.push_back(fmt::format("{}: simulation.gravity is {:.4g} m/s², {:.3g} times the earth's; the unit is m/s², the earth's is {}",
                                   first_snow(scene).file, g, g / kEarth, kEarth));
}

// Where a material is used first; nullptr: nowhere.
const Location* first_use(const Scene& scene, const std::string& material) {
  const auto has_it = [&](const SnowLayer& layer) { return layer.material == material; };
  for (const Snow& snow : scene.snow)
    if (snow.material == material || std::any_of(snow.layers.begin(), snow.layers.end(), has_it)) return &snow.location;
  for (const Source& source : scene.sources)
    if (source.material == material) return &source.location;
  return nullptr;
}

void check_materials(const Scene& scene, std::vector<std::string>& warnings) {
  for (const Material& m : scene.materials) {
    const Location* where = first_use(scene, m.name);
    if (where == nullptr) continue;
    const auto warn = [&](const char* key, double value, const char* why) {
      warnings.push_back(fmt::format("{}: its material \"{}\" has {} = {:.4g}: {}", to_string(*where), m.name, key, value, why));
    };
    if (m.young_modulus < kSoftest)
      warn("young_modulus", m.young_modulus, "far softer than any snow, which has 1e4 to 1e7; the unit is Pa, not kPa");
    if (m.young_modulus > kStiffest) warn("young_modulus", m.young_modulus, "stiffer than ice, which has 9e9; the unit is Pa");
    if (m.density < kLightest) warn("density", m.density, "lighter than any snow, which has 20 to 900; the unit is kg/m³, not g/cm³");
    if (m.density > kHeaviest) warn("density", m.density, "heavier than ice, which has 917; the unit is kg/m³");
  }
}

void check_balls(const Scene& scene, std::vector<std::string>& warnings) {
  for (const Snow& snow : scene.snow)
    if (snow.shape.kind == ShapeKind::kSphere && snow.shape.radius >= kLargestBall)
      warnings.push_back(fmt::format("{}: a snowball {:.4g} m across; the unit is m, a ball that is thrown has radius = 0.04",
                                     to_string(snow.location), 2 * snow.shape.radius));
}

// What has a size, and which of it comes from a file whose unit nobody knows.
struct Sized {
  const Shape* shape;
  const Location* where;
  double size;  // m
};

std::vector<Sized> sized_bodies(const Scene& scene, const std::vector<Form>& forms, const Built& built) {
  std::vector<Sized> all;
  for (std::size_t s = 0; s < scene.snow.size(); ++s)
    if (scene.snow[s].shape.kind != ShapeKind::kParticles)
      all.push_back({&scene.snow[s].shape, &scene.snow[s].location, longest(forms[s].upper - forms[s].lower)});
  for (std::size_t c = 0; c < scene.colliders.size(); ++c)
    all.push_back({&scene.colliders[c].shape, &scene.colliders[c].location,
                   longest(built.model.bodies[c].upper - built.model.bodies[c].lower)});
  std::erase_if(all, [](const Sized& body) { return !(body.size > 0); });  // planes
  return all;
}

void check_files(const std::vector<Sized>& bodies, std::vector<std::string>& warnings) {
  for (const Sized& body : bodies) {
    const ShapeKind kind = body.shape->kind;
    if (kind != ShapeKind::kMesh && kind != ShapeKind::kVolume && kind != ShapeKind::kSequence) continue;
    double others = 0;
    for (const Sized& other : bodies)
      if (&other != &body) others = std::max(others, other.size);
    if (others == 0 || body.size < kOddRatio * others) continue;
    warnings.push_back(fmt::format("{}: {} is {:.3g} m across, {:.3g} times all other bodies; if its unit is not the metre, give scale "
                                   "(centimetres: scale = 0.01, millimetres: scale = 0.001)",
                                   to_string(*body.where), std::filesystem::path(body.shape->file).filename().string(), body.size,
                                   body.size / others));
  }
}

// m; of sampled snow, on average. Files have their own.
double particle_distance(const Scene& scene, double particles_per_cell) {
  return scene.simulation.spacing * std::pow(particles_per_cell, -1.0 / scene.simulation.dimension);
}

// How far floats are apart at a coordinate.
double float_gap(double x) {
  const float nearest = static_cast<float>(x);
  return static_cast<double>(std::nextafter(nearest, std::numeric_limits<float>::infinity())) - static_cast<double>(nearest);
}

// Looks at where snow is at the start, and where the window takes it.
void check_distance(const Scene& scene, Built& built) {
  double farthest = 0, distance = std::numeric_limits<double>::infinity();
  const auto reach = [&](double x) { farthest = std::max(farthest, std::abs(x)); };
  for (const ParticleRow& row : built.particles)
    for (int d = 0; d < built.model.dimension; ++d) reach(row.position(d, built.model.h));
  for (const Emitter& emitter : built.population.emitters())
    for (int d = 0; d < built.model.dimension; ++d) reach(emitter.form().origin[d]);
  if (built.model.window) reach(farthest + norm(built.model.window->motion.at(scene.simulation.duration).displacement));
  for (const Snow& snow : scene.snow) distance = std::min(distance, particle_distance(scene, snow.particles_per_cell));
  for (const Source& source : scene.sources) distance = std::min(distance, particle_distance(scene, source.particles_per_cell));
  const double gap = float_gap(farthest);
  built.double_frames = gap > kRoughestDistance * distance;
  if (!built.double_frames || scene.solver.precision == Precision::kDouble) return;
  const std::vector<std::string>& formats = scene.output.formats;
  const bool has_bgeo = std::find(formats.begin(), formats.end(), "bgeo") != formats.end();
  built.warnings.push_back(fmt::format(
      "{}: snow {:.4g} m from the origin: floats there are {:.2g} m apart, particles {:.2g} m; frames are written in double precision{}; "
      "bring the scene nearer to the origin",
      to_string(first_snow(scene)), farthest, gap, distance, has_bgeo ? " (bgeo files cannot be, theirs share places)" : ""));
}

}  // namespace

void check_units(const Scene& scene, const std::vector<Form>& forms, Built& built) {
  check_gravity(scene, built.warnings);
  check_materials(scene, built.warnings);
  check_balls(scene, built.warnings);
  check_files(sized_bodies(scene, forms, built), built.warnings);
  check_distance(scene, built);
}

}  // namespace firn
