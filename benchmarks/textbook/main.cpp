// Times the textbook solver on a gallery scene's particles and prints a report like that of `firn bench --json`. First it checks
// itself, so that nobody compares with a program that computes nonsense.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "api/measure.h"
#include "bench_json.h"
#include "solver.h"
#include "solver/model.h"

namespace {

using textbook::Mat;
using textbook::Particle;
using textbook::Solver;
using textbook::Vec;

Vec to_vec(const std::array<double, 3>& x) { return {float(x[0]), float(x[1]), float(x[2])}; }

// The particles as firn starts with them, volumes and deformation included.
std::vector<Particle> first_particles(const firn::Scene& scene) {
  const firn::Frame frame = firn::Simulation(scene).frame(true);
  std::vector<Particle> particles;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    Particle p{to_vec(frame.position[i]), to_vec(frame.velocity[i]), {}, Mat::zero(), 1, float(frame.mass[i]), float(frame.volume[i])};
    for (int k = 0; k < 9; ++k) p.F.a[k] = float(frame.fe[i][k]);
    particles.push_back(p);
  }
  return particles;
}

// For scenes like bench_ball: a ball of one material, one horizontal plane.
Solver make_solver(const firn::Scene& scene) {
  const firn::SnowParameters<double> s = firn::snow_parameters(scene.materials.front());
  const textbook::Snow snow{float(s.mu0),         float(s.lambda0),     float(s.hardening),
                            float(s.stretch_min), float(s.stretch_max), float(std::exp(s.log_limit))};
  const firn::Collider& plane = scene.colliders.front();
  return Solver(first_particles(scene), snow, {float(plane.shape.point[1]), float(plane.friction)}, float(scene.simulation.spacing));
}

firn::StepInfo step(Solver& solver, double dt, const Vec& gravity) {
  firn::StepInfo info;
  info.dt = dt;
  const auto timed = [&](firn::Phase phase, auto pass) {
    const auto begin = std::chrono::steady_clock::now();
    pass();
    info.seconds[static_cast<int>(phase)] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  timed(firn::Phase::kScatter, [&] { solver.scatter(float(dt)); });
  timed(firn::Phase::kGrid, [&] { solver.move_grid(float(dt), gravity); });
  timed(firn::Phase::kGather, [&] { solver.gather(float(dt)); });
  return info;
}

struct Sums {
  double mass = 0, kinetic = 0;
  firn::Vec<double, 3> momentum{0, 0, 0};
};
Sums sums_of(const std::vector<Particle>& particles) {
  Sums sums;
  for (const Particle& p : particles) {
    sums.mass += p.mass;
    sums.kinetic += 0.5 * p.mass * dot(p.v, p.v);
    for (int d = 0; d < 3; ++d) sums.momentum[d] += double(p.mass) * p.v[d];
  }
  return sums;
}

void require(bool good, const char* fact) {
  if (!good) throw std::runtime_error(std::string("the textbook solver is wrong: ") + fact);
}

constexpr int kCheckSteps = 40;

// With nothing in the way the grid has the particles' mass, and momentum grows by gravity alone.
void check_free_fall(firn::Scene scene, double dt) {
  constexpr double kRounding = 1e-4;  // of float sums, relative
  scene.colliders.front().shape.point[1] -= 1;
  Solver solver = make_solver(scene);
  const Vec gravity = to_vec(scene.simulation.gravity);
  const Sums before = sums_of(solver.particles);
  for (int k = 0; k < kCheckSteps; ++k) step(solver, dt, gravity);
  const Sums after = sums_of(solver.particles);
  double on_grid = 0;
  for (const textbook::Node& node : solver.grid) on_grid += node.mass;
  require(std::fabs(on_grid - before.mass) <= kRounding * before.mass, "mass is lost between particles and grid");
  for (int d = 0; d < 3; ++d) {
    const double expected = before.momentum[d] + before.mass * gravity[d] * dt * kCheckSteps;
    require(std::fabs(after.momentum[d] - expected) <= kRounding * before.mass, "momentum changes by more than gravity");
  }
}

// The impact is that of firn's reference solver, as far as two schemes agree: forces here come from APIC's moments, there from grad w.
void check_impact(firn::Scene scene, double dt) {
  constexpr double kAgreement = 0.1;  // of the change; measured: 0.04
  scene.solver.transfer = firn::Transfer::kApic;
  scene.solver.kernel = firn::Kernel::kQuadratic;
  scene.solver.time_step = dt;
  Solver solver = make_solver(scene);
  firn::Simulation reference(scene, firn::Backend::kReference);
  const Sums before = sums_of(solver.particles);
  for (int k = 0; k < kCheckSteps; ++k) {
    step(solver, dt, to_vec(scene.simulation.gravity));
    reference.step(dt);
  }
  const Sums after = sums_of(solver.particles);
  const firn::Statistics expected = reference.statistics();
  const double change = std::fabs(before.kinetic - expected.kinetic_energy), push = std::fabs(expected.momentum[1] - before.momentum[1]);
  require(std::fabs(after.kinetic - expected.kinetic_energy) <= kAgreement * change, "an impact takes another energy than in firn");
  require(std::fabs(after.momentum[1] - expected.momentum[1]) <= kAgreement * push, "an impact changes momentum otherwise than in firn");
}

// Half of what is safe before the snow packs: it stands the hardening that the measured steps bring.
double safe_step(const firn::Scene& scene) { return 0.5 * firn::check(scene).time_step; }

// On a coarse copy of the scene, a ball of some thousand particles.
void check_itself(firn::Scene scene) {
  constexpr double kCellsInRadius = 6;
  scene.simulation.spacing = scene.snow.front().shape.radius / kCellsInRadius;
  const double dt = safe_step(scene);
  check_free_fall(scene, dt);
  check_impact(scene, dt);
}

firn::BenchReport measure_textbook(const firn::Scene& scene, const firn::BenchOptions& options) {
  check_itself(scene);
  const double dt = safe_step(scene);
  Solver solver = make_solver(scene);
  const auto one_step = [&] { return step(solver, dt, to_vec(scene.simulation.gravity)); };
  for (int k = 0; k < options.warmup; ++k) one_step();

  firn::BenchReport report;
  report.scene = scene.name;
  report.backend = "textbook";
  report.precision = "float";
  report.kernel = "quadratic";
  report.integrator = "explicit";
  report.particles = solver.particles.size();
  report.threads = 1;
  report.bytes_per_particle =
      double(solver.particles.size() * sizeof(Particle) + solver.grid.size() * sizeof(textbook::Node)) / double(solver.particles.size());
  firn::measure(options.steps, one_step, report);

  for (const Particle& p : solver.particles)
    require(std::isfinite(dot(p.v, p.v)) && std::isfinite(contract(p.F, p.F)) && p.Jp > 0, "it exploded");
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("the textbook solver, timed like firn bench");
  std::string scene = "bench_ball";
  std::vector<std::string> overrides;
  firn::BenchOptions options;
  app.add_option("scene", scene, "a ball of one material over a horizontal plane")->capture_default_str();
  app.add_option("--set", overrides, "change a key of the scene");
  app.add_option("--steps", options.steps, "steps to measure")->check(CLI::Range(1, 1000000))->capture_default_str();
  app.add_option("--warmup", options.warmup, "steps before them")->check(CLI::Range(0, 1000000))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    fmt::print("{}\n", to_json(measure_textbook(firn::load_scene(scene, overrides), options)).dump(2));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
