// The numbers behind the figures of docs/theory.md, from firn's own code: both kernels, and every quantity of one step of the reference.
//
//   theory_tables kernels FILE
//   theory_tables step SCENE TIME NODES PARTICLES
//
// The second runs a 2D scene with a fixed time step to the time and takes one more step; it writes what nodes and particles have on the
// way.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "build/build.h"
#include "core/files.h"
#include "firn/error.h"
#include "math/bspline.h"
#include "solver/reference/reference.h"

namespace {

using namespace firn;
using Step2 = reference::Step<2, CubicKernel>;

void write(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

// N and N′ at the particle's distance from every node it meets, for particles all over a cell.
template <class Kernel>
std::string rows_of(const char* name) {
  constexpr int kPlaces = 100;
  std::string rows;
  for (int k = 0; k < kPlaces; ++k) {
    const double offset = static_cast<double>(k) / kPlaces, delta = offset - Kernel::base_shift(offset);
    double w[Kernel::kSupport], g[Kernel::kSupport];
    Kernel::weights(delta, w, g);
    for (int node = 0; node < Kernel::kSupport; ++node)
      rows += fmt::format("{},{:.6f},{:.9g},{:.9g}\n", name, delta - node, w[node], g[node]);
  }
  return rows;
}

// (M10) before step 9, from the nodes: the reference keeps only what comes after it.
Vec<double, 2> gathered_velocity(const Model& model, const reference::Grid<2>& grid, const reference::Particle<2>& p, double dt) {
  Cell<2> base;
  double w[2][CubicKernel::kSupport], g[2][CubicKernel::kSupport];
  for (int d = 0; d < 2; ++d) {
    const double cell = std::floor(p.x[d] / model.h), offset = p.x[d] / model.h - cell, shift = CubicKernel::base_shift(offset);
    base[d] = static_cast<std::int32_t>(cell + shift);
    CubicKernel::weights(offset - shift, w[d], g[d]);
  }
  const double alpha = model.flip_ratio(dt);
  Vec<double, 2> v = alpha * p.v;
  for (int i = 0; i < CubicKernel::kSupport; ++i)
    for (int j = 0; j < CubicKernel::kSupport; ++j) {
      const reference::Node<2>& node = grid.at({base[0] + i, base[1] + j});
      v += (w[0][i] * w[1][j]) * (node.v - alpha * node.v_n);
    }
  return v;
}

std::string pair(const Vec<double, 2>& v) { return fmt::format(",{:.9g},{:.9g}", v[0], v[1]); }

void write_step(const std::string& scene_path, double time, const std::string& nodes_path, const std::string& particles_path) {
  const Scene scene = load_scene(scene_path);
  Built built = build(scene);
  const Model& model = built.model;
  const std::unique_ptr<Solver> solver = make_solver(model, Backend::kReference, 1);
  State state = solver->create(model, std::move(built.particles));
  const double dt = scene.solver.time_step.value();  // the scene has one
  while (state.time < time) solver->step(model, state, dt);

  std::vector<reference::Particle<2>> particles;
  for (const ParticleRow& row : solver->rows(model, state, 0, state.next_id)) particles.push_back(reference::from_row<2>(row, model.h));
  const std::vector<reference::Particle<2>> before = particles;
  Step2 step(model, state, particles);
  step.find_alone();
  step.rasterize();
  step.add_forces();
  StepInfo report;
  if (step.try_steps_4_to_10(dt, report).fault != Fault::kNone) throw RunError("the step went wrong");

  std::string text = "x,y,mass,vx,vy,fx,fy,star_x,star_y,collided_x,collided_y,new_x,new_y\n";
  const Vec<double, 2> gravity = convert_vec<double, 2>(model.gravity);
  for (const auto& [cell, i] : step.grid()) {
    if (!(i.mass > 0)) continue;
    const Vec<double, 2> star = i.v_n + dt * ((1 / i.mass) * i.force + gravity);  // (M7), before step 5
    text += fmt::format("{:.9g},{:.9g},{:.9g}", cell[0] * model.h, cell[1] * model.h, i.mass);
    for (const Vec<double, 2>& v : {i.v_n, i.force, star, i.v_star, i.v}) text += pair(v);
    text += '\n';
  }
  write(nodes_path, text);

  step.accept();
  text = "x,y,vx,vy,mass,volume,je,jp,gathered_x,gathered_y,new_vx,new_vy,new_x,new_y,new_je,new_jp\n";
  for (std::size_t p = 0; p < before.size(); ++p) {
    const reference::Particle<2>&old = before[p], &now = particles[p];
    text += fmt::format("{:.9g},{:.9g}", old.x[0], old.x[1]) + pair(old.v);
    text += fmt::format(",{:.9g},{:.9g},{:.9g},{:.9g}", old.mass, old.volume, determinant(old.F_E), old.J_P());
    text += pair(gathered_velocity(model, step.grid(), old, dt)) + pair(now.v) + pair(now.x);
    text += fmt::format(",{:.9g},{:.9g}\n", determinant(now.F_E), now.J_P());
  }
  write(particles_path, text);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> a(arguments + 1, arguments + count);
  try {
    if (a.size() == 2 && a[0] == "kernels") {
      write(a[1], "kernel,s,N,dN\n" + rows_of<CubicKernel>("cubic") + rows_of<QuadraticKernel>("quadratic"));
    } else if (a.size() == 5 && a[0] == "step") {
      write_step(a[1], std::stod(a[2]), a[3], a[4]);
    } else {
      fmt::print(stderr, "usage: theory_tables kernels FILE | step SCENE TIME NODES PARTICLES\n");
      return 2;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}
