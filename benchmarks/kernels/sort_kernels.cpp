// Particles and their blocks, on one thread: the sort a run begins with, and the moving of those that change blocks in a step.
#include "packed_ball.h"
#include "particles/migration.h"
#include "solver/cpu/parallel.h"

namespace firn::bench_kernels {
namespace {

Cell<kDimension> origin_of(const PackedBall& ball) { return convert_vec<std::int32_t, kDimension>(ball.model.origin); }

void sort_at_the_start(benchmark::State& timer) {
  static PackedBall ball = packed_ball(Integrator::kExplicit);
  const std::size_t n = ball.state.particle_count;
  Particles<Scalar, kDimension> unsorted;
  unsorted.resize(slots_for(n), {});
  for (std::size_t id = 0; id < n; ++id) unsorted.copy(ball.store().particles, ball.scratch().slot_of_id[id], id);
  BlockSorter<kDimension> sorter;
  cpu::Threads one_thread(1);
  one_thread.run([&] {
    for (auto _ : timer) sorter.sort({unsorted.cell, unsorted.id, n, origin_of(ball)});
  });
  count_particles(timer, n);
}
BENCHMARK(sort_at_the_start)->Name("sort, at the start")->Unit(benchmark::kMillisecond);

// Every 50th particle goes to a neighbouring block, and back the next time.
void migration(benchmark::State& timer) {
  constexpr std::uint32_t kEvery = 50;
  static PackedBall ball = packed_ball(Integrator::kExplicit);
  ParticleStore<Scalar, kDimension>& store = ball.store();
  cpu::Scratch<Scalar, kDimension>& scratch = ball.scratch();
  const auto migrate = [&] {
    scratch.migration.start(store.blocks.size());
    for (std::size_t b = 0; b < store.blocks.size(); ++b) {
      std::uint32_t first = 0;
      store.blocks[b].for_each_pack<kGroupSize>([&](std::size_t at, int n) {
        scratch.migration.note(store.blocks[b], b, store.particles, first, at, n);
        first += kGroupSize;
      });
    }
    scratch.migration.run(origin_of(ball), store.particles, store.blocks, store.pool, scratch.slot_of_id, [&] {
      if (slots_for(store.pool) > store.particles.slots()) store.particles.resize(slots_for(store.pool), {});
    });
  };
  cpu::Threads one_thread(1);
  one_thread.run([&] {
    int step = BlockShape<kDimension>::kEdge;
    for (auto _ : timer) {
      timer.PauseTiming();
      for (std::uint32_t id = 0; id < ball.state.particle_count; id += kEvery) store.particles.cell[0][scratch.slot_of_id[id]] += step;
      step = -step;
      timer.ResumeTiming();
      migrate();
    }
  });
  count_particles(timer, ball.state.particle_count);
}
BENCHMARK(migration)->Name("migration, 2 % change blocks")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firn::bench_kernels
