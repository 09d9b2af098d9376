#include "scene/flow.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scene/bodies.h"

namespace firn {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

WindowModel make_window(const Window& window, const Model& model) {
  WindowModel result{{{0, 0, 0}, {0, 0, 0}}, {}, to_vec(window.lower), to_vec(window.upper)};
  if (window.follow) {
    const BodyModel& body = model.bodies[static_cast<std::size_t>(*window.follow)];
    result.anchor = body.anchor;
    result.motion = body.motion;
  } else {
    result.motion.velocity = to_vec(window.velocity);
  }
  return result;
}

// How far shell and noise may change a body's snow.
struct Factors {
  double stiffest = 1, lightest = 1;
};

Factors bounds_of(const Snow& snow) {
  Factors f;
  if (snow.shell) f = {std::max(1.0, snow.shell->factor.stiffness), std::min(1.0, snow.shell->factor.density)};
  for (const SnowNoise& noise : snow.noise) {
    f.stiffest *= 1 + noise.amplitude.stiffness;
    f.lightest /= 1 + noise.amplitude.density;
  }
  return f;
}

std::vector<std::uint16_t> materials_of(const Scene& scene, const Snow& snow) {
  std::vector<std::uint16_t> all{material_index(scene, snow.material)};
  for (const SnowLayer& layer : snow.layers) all.push_back(material_index(scene, layer.material));
  return all;
}

// m/s; never less than that of any of the body's snow, unhardened.
double wave_speed(const Scene& scene, const Snow& snow, const Model& model) {
  const Factors f = bounds_of(snow);
  double speed = 0;
  for (const std::uint16_t material : materials_of(scene, snow)) {
    const SnowParameters<double>& s = model.materials[material];
    speed = std::max(speed, std::sqrt((s.lambda0 + 2 * s.mu0) * f.stiffest / (scene.materials[material].density * f.lightest)));
  }
  return speed;
}

}  // namespace

void add_outflow(const Scene& scene, Model& model, std::vector<std::string>& warnings) {
  for (const Sink& sink : scene.sinks) {
    const Form form = make_form_at(sink.shape, scene, sink.location, warnings);
    model.sinks.push_back({make_body(Collider{}, form, model.h), sink.start, sink.end.value_or(kForever)});
  }
  if (scene.domain)
    model.domain = DomainModel{to_lattice<double, 3>(to_vec(scene.domain->lower), model.h, true),
                               to_lattice<double, 3>(to_vec(scene.domain->upper), model.h, true)};
  if (!scene.window) return;
  const WindowModel window = make_window(*scene.window, model);
  const Vec<double, 3> moved = window.motion.at(0).displacement;
  for (int d = 0; d < model.dimension; ++d) {
    const double cells = snapped(window.anchor.offset[d] + (moved[d] + window.lower[d]) / model.h);
    model.origin[d] = window.anchor.cell[d] + static_cast<std::int32_t>(std::floor(cells));
  }
  model.window = window;
}

void add_inflows(const Scene& scene, const Forms& forms, Model& model) {
  for (const Source& source : scene.sources)
    model.inflows.push_back(
        {source.start, source.end.value_or(kForever), wave_speed(scene, snow_of(source), model), norm(to_vec(source.velocity))});
  if (!scene.window) return;
  for (std::size_t s = 0; s < scene.snow.size(); ++s) {
    const Snow& snow = scene.snow[s];
    if (snow.shape.kind == ShapeKind::kParticles) continue;  // all there from the start
    const double reach = std::max(norm(forms.snow[s].lower), norm(forms.snow[s].upper));
    const double speed = norm(to_vec(snow.velocity)) + norm(to_vec(snow.spin)) * reach;
    model.inflows.push_back({snow.start, kForever, wave_speed(scene, snow, model), speed});
  }
}

double lightest_fresh(const Scene& scene, const Snow& snow) {
  double density = kForever;
  for (const std::uint16_t material : materials_of(scene, snow)) density = std::min(density, scene.materials[material].density);
  return density * bounds_of(snow).lightest * particle_volume(scene, snow);
}

double particles_to_come(const Scene& scene, const Population& population) {
  double sum = 0;
  for (const Emitter& emitter : population.emitters()) sum += static_cast<double>(emitter.count(scene.simulation.duration));
  return sum;
}

double time_to_clear(const Scene& scene, const Source& source, const Form& form) {
  const Vec<double, 3> gravity = to_vec(scene.simulation.gravity), velocity = to_vec(source.velocity);
  const Bounds box = form.world_box();
  const double speed = norm(velocity), pull = norm(gravity);
  if (speed == 0 && pull == 0) return kForever;
  const Vec<double, 3> direction = speed > 0 ? (1 / speed) * velocity : (1 / pull) * gravity;
  double length = 0;
  for (int d = 0; d < scene.simulation.dimension; ++d) length += (box.upper[d] - box.lower[d]) * std::abs(direction[d]);
  const double acceleration = std::max(dot(gravity, direction), 0.0);
  if (acceleration == 0) return length / speed;
  return (std::sqrt(speed * speed + 2 * acceleration * length) - speed) / acceleration;
}

}  // namespace firn
