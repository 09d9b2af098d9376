#include "packed_ball.h"

#include "build/build.h"
#include "solver/solver.h"

namespace firn::bench_kernels {
namespace {

constexpr int kSteps = 40;  // enough for the ball to be in contact and for snow to yield
constexpr double kFrame = 1.0 / 24;

Built build_ball() { return build(load_scene("bench_ball", {"simulation.spacing=0.008"}), read_ply); }

struct Stepped {
  std::unique_ptr<Solver> solver;
  State state;
  double dt = 0;
};
Stepped step_ball(Built& built, int steps) {
  Stepped ball;
  ball.solver = make_solver(built.model, Backend::kCpu, 1);
  ball.state = ball.solver->create(built.model, std::move(built.particles));
  for (int k = 0; k < steps; ++k) ball.dt = ball.solver->step(built.model, ball.state, kFrame).dt;
  return ball;
}

ParticleTable all_rows(const Model& model, const Stepped& ball) { return ball.solver->rows(model, ball.state, 0, ball.state.next_id); }

}  // namespace

PackedBall packed_ball(Integrator integrator) {
  Built built = build_ball();
  const Stepped ball = step_ball(built, kSteps);
  PackedBall packed;
  packed.model = built.model;
  packed.model.solver.integrator = integrator;
  packed.dt = ball.dt;
  packed.solver = std::make_unique<OpenSolver>(1);
  packed.state = packed.solver->create(packed.model, all_rows(built.model, ball));
  set_time(packed.model, packed.state, ball.state.time);
  return packed;
}

}  // namespace firn::bench_kernels
