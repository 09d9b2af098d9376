// The passes of a step over all blocks, on one thread: scatter, gather, and one iteration of the conjugate residuals. The balls are
// static because the library calls a function several times, and making one takes longer than timing it.
#include "packed_ball.h"
#include "solver/cpu/gather.h"
#include "solver/cpu/grid_pass.h"
#include "solver/cpu/implicit.h"
#include "solver/cpu/parallel.h"
#include "solver/cpu/scatter.h"

namespace firn::bench_kernels {
namespace {

constexpr bool kApic = false;
constexpr double kImplicitStep = 5e-4;  // s, as in the benchmark scene

void move_grid(PackedBall& ball, double dt) {
  const auto bodies = ball.bodies();
  const cpu::GridPass<Scalar, kDimension> pass(ball.model, ball.store(), ball.scratch(), dt, bodies);
  for (std::size_t b = 0; b < ball.scratch().grid.node_block_count(); ++b) pass.block(b);
}

constexpr auto no_contact = [](const auto&, std::size_t, int) {};

template <class Pass>
void time_blocks(benchmark::State& timer, PackedBall& ball, const Pass& pass) {
  const cpu::FlushDenormals flush;
  for (auto _ : timer) {
    ball.scratch().migration.start(ball.store().blocks.size());
    for (std::size_t b = 0; b < ball.store().blocks.size(); ++b) pass.block(b, no_contact);
    benchmark::ClobberMemory();
  }
  count_particles(timer, ball.state.particle_count);
}

void scatter(benchmark::State& timer) {
  static PackedBall ball = packed_ball(Integrator::kExplicit);
  time_blocks(timer, ball, cpu::Scatter<Scalar, kDimension, Kernel, kApic>(ball.model, ball.store(), ball.scratch()));
}
BENCHMARK(scatter)->Unit(benchmark::kMillisecond);

void gather(benchmark::State& timer) {
  static PackedBall ball = packed_ball(Integrator::kExplicit);
  move_grid(ball, ball.dt);
  const auto bodies = ball.bodies();
  time_blocks(timer, ball, cpu::Gather<Scalar, kDimension, Kernel, kApic>(ball.model, ball.store(), ball.scratch(), ball.dt, bodies));
}
BENCHMARK(gather)->Unit(benchmark::kMillisecond);

// One product and the updates of the four vectors. Coefficients of zero keep the vectors, and so the work, the same every time.
void residual_iteration(benchmark::State& timer) {
  static PackedBall ball = packed_ball(Integrator::kSemiImplicit);
  const cpu::Scatter<Scalar, kDimension, Kernel, kApic> pass(ball.model, ball.store(),
                                                             ball.scratch());  // an earlier call has used up the forces
  for (std::size_t b = 0; b < ball.store().blocks.size(); ++b) pass.block(b, no_contact);
  move_grid(ball, kImplicitStep);
  cpu::ImplicitSystem<Scalar, kDimension, Kernel> system(ball.model, ball.store(), ball.scratch(), kImplicitStep);
  cpu::Threads one_thread(1);
  one_thread.run([&] {
    system.start();
    for (auto _ : timer) {
      benchmark::DoNotOptimize(system.multiply());
      benchmark::DoNotOptimize(system.next_direction(0));
      benchmark::DoNotOptimize(system.advance(0));
    }
  });
  count_particles(timer, ball.state.particle_count);
}
BENCHMARK(residual_iteration)->Name("conjugate residuals, an iteration")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firn::bench_kernels
