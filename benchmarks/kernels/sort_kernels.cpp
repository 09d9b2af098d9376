// The block sort on one thread: from the order of ids, and as in most steps, when few particles have changed blocks.
#include "packed_ball.h"
#include "particles/block_sort.h"
#include "solver/cpu/parallel.h"

namespace firn::bench_kernels {
namespace {

// Cells and ids of a table, in a given order.
struct Cells {
  Cells(const ParticleTable& table, const std::vector<std::uint32_t>& ids, const Cell<kDimension>& origin) : id(ids), origin(origin) {
    for (const std::uint32_t i : ids)
      for (int d = 0; d < kDimension; ++d) cell[d].push_back(table[i].cell[d]);
  }

  BlockSorter<kDimension>::Input input() const {
    BlockSorter<kDimension>::Input in{{}, id.data(), id.size(), origin};
    for (int d = 0; d < kDimension; ++d) in.cell[d] = cell[d].data();
    return in;
  }

  std::array<std::vector<std::int32_t>, kDimension> cell;
  std::vector<std::uint32_t> id;
  Cell<kDimension> origin;
};

std::vector<std::uint32_t> all_ids(std::size_t count) {
  std::vector<std::uint32_t> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<std::uint32_t>(i);
  return ids;
}

template <class Sort>
void time_sort(benchmark::State& timer, const Cells& cells, Sort sort) {
  cpu::Threads one_thread(1);
  BlockSorter<kDimension> sorter;
  const auto input = cells.input();
  one_thread.run([&] {
    for (auto _ : timer) benchmark::DoNotOptimize(sort(sorter, input));
  });
  count_particles(timer, cells.id.size());
}

void sort_canonical(benchmark::State& timer) {
  const TwoMoments& moments = packed_ball_moments();
  const Cells cells(moments.before, all_ids(moments.before.size()), moments.origin);
  time_sort(timer, cells, [](auto& sorter, const auto& input) { return sorter.sort(input); });
}
BENCHMARK(sort_canonical)->Name("sort, canonical")->Unit(benchmark::kMillisecond);

void sort_after_a_step(benchmark::State& timer) {
  const TwoMoments& moments = packed_ball_moments();
  BlockSorter<kDimension> sorter;
  const Cells before(moments.before, all_ids(moments.before.size()), moments.origin);
  sorter.sort(before.input());
  const Cells after(moments.after, sorter.order(), moments.origin);
  time_sort(timer, after, [](auto& own, const auto& input) { return own.sort_by_block(input); });
}
BENCHMARK(sort_after_a_step)->Name("sort, after a step")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace firn::bench_kernels
