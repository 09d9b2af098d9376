// What the density-limited integrator wants to know of a scene, and what it leaves aside.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "build/build.h"
#include "build/snow.h"

namespace firn {
namespace {

// Battad and Dong multiply the density of a single particle, their first, at a corner: there (M5) sees a third of the snow's own.
constexpr double kDensityOfOne = 1.0 / 3;

// kg/m³; the particles of a file that have a volume say it themselves.
double density_of(const Scene& scene, const ParticleRow& row) {
  return row.volume > 0 ? row.mass / row.volume : scene.materials[row.material].density;
}

bool is_usual_but_for_density(const Material& m) {
  const Material usual;
  return m.young_modulus == usual.young_modulus && m.poisson_ratio == usual.poisson_ratio && m.hardening == usual.hardening &&
         m.critical_compression == usual.critical_compression && m.critical_stretch == usual.critical_stretch &&
         m.hardening_limit == usual.hardening_limit && m.softening == usual.softening;
}

}  // namespace

double critical_density(const Scene& scene, const Built& built) {
  double least = std::numeric_limits<double>::infinity();
  const auto include = [&](const std::string& material) {
    least = std::min(least, scene.materials[material_index(scene, material)].density);
  };
  std::size_t at = 0;
  for (std::size_t s = 0; s < scene.snow.size(); ++s) {
    const Snow& snow = scene.snow[s];
    const std::size_t end = at + built.snow[s].particles;
    if (snow.shape.kind == ShapeKind::kParticles) {
      for (; at < end; ++at) least = std::min(least, density_of(scene, built.particles[at]));
    } else {
      include(snow.material);
      for (const SnowLayer& layer : snow.layers) include(layer.material);
    }
    at = end;
  }
  for (const Source& source : scene.sources) include(source.material);
  return scene.solver.critical_density * kDensityOfOne * least;
}

void check_unused_keys(const Scene& scene, std::vector<std::string>& warnings) {
  const SolverSettings &s = scene.solver, usual;
  std::vector<std::string> unused;
  const auto note = [&](bool is_usual, const std::string& key) {
    if (!is_usual) unused.push_back(key);
  };
  note(s.beta == usual.beta, "solver.beta");
  note(s.tolerance == usual.tolerance, "solver.tolerance");
  note(s.max_iterations == usual.max_iterations, "solver.max_iterations");
  note(s.flip_step == usual.flip_step, "solver.flip_step");
  note(s.reference_spacing == usual.reference_spacing, "solver.reference_spacing");
  note(s.contact == usual.contact, "solver.contact");
  note(s.tangent == usual.tangent, "solver.tangent");
  note(s.courant == usual.courant, "solver.courant");
  note(s.sleep == usual.sleep, "solver.sleep");
  for (const Material& m : scene.materials)
    note(is_usual_but_for_density(m) || first_use(scene, m.name) == nullptr, fmt::format("all of materials.{} but density", m.name));
  const auto is_stretched = [](const Snow& snow) { return snow.stretch != Snow{}.stretch; };
  note(std::none_of(scene.snow.begin(), scene.snow.end(), is_stretched), "snow.stretch");
  note(!is_varied(scene), "what noise and shells do beside density");
  if (unused.empty()) return;
  const std::string& file = scene.snow.empty() ? scene.sources.front().location.file : scene.snow.front().location.file;
  warnings.push_back(fmt::format("{}: integrator = \"density-limited\": these keys do nothing with it: {}", file, fmt::join(unused, ", ")));
}

}  // namespace firn
