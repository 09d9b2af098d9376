// Blocks whose snow lies still sleep, apart because a step is right without it: their particles do not change, and their tiles of mass and
// force stay as they are, so that the snow around them still feels them. A block falls asleep when forces have been in balance on it for
// some time; it wakes when they no longer are, a neighbour is loud, a moving body is near, a particle comes in, or one beside it is taken
// away.
#pragma once

#include "solver/cpu/grid_pass.h"
#include "solver/cpu/parallel.h"

namespace firn::cpu {

// All that is known of the size of things is gravity. Snow on which a force is left over, say a hundredth of its weight, is faster than
// kQuietPart of what gravity does in kQuietTime before that has passed; so is snow in flight, also at the top of it, at any scale. Without
// gravity only what does not move at all is quiet.
inline constexpr double kQuietTime = 0.1;    // s
inline constexpr double kQuietPart = 2e-3;   // of free fall for that time: 2 mm/s on earth
inline constexpr int kQuietSteps = 4;        // at least, however long they are
inline constexpr double kUnbalanced = 0.05;  // of gravity: sleepers wake when forces on their nodes are out of balance by more

template <class T, int D>
class Sleep {
 public:
  Sleep(const Model& model, const State& now, ParticleStore<T, D>& store, Scratch<T, D>& scratch)
      : model_(model), now_(now), store_(store), scratch_(scratch) {}

  // Before a step: wakes who must, and lists the blocks that take part. Those who are alone never sleep: they cost next to nothing.
  void choose() const {
    if (model_.solver.sleep) wake();
    scratch_.awake.clear();
    scratch_.lone.clear();
    for (std::uint32_t b = 0; b < store_.blocks.size(); ++b)
      if (store_.blocks[b].rest != Rest::kAsleep) (store_.blocks[b].alone ? scratch_.lone : scratch_.awake).push_back(b);
    scratch_.lone_reports.resize(scratch_.lone.size());
    scratch_.active.clear();
    for (std::uint32_t n = 0; n < scratch_.grid.node_block_count(); ++n)
      if (any_tile(n, [](const ParticleBlock<D>& block) { return block.rest != Rest::kAsleep; })) scratch_.active.push_back(n);
  }

  // Every block that shares nodes with b, b itself included.
  void wake_around(std::uint32_t b) const {
    if (store_.blocks[b].alone) return;
    for (const std::int32_t node_block : scratch_.grid.nodes_of(b))
      for (const std::int32_t tile : scratch_.grid.tiles_of(node_block))
        if (tile != SparseGrid<D>::kNone) store_.blocks[tile].wake();
  }

  // After a step of dt: finds out what forces do to sleepers, counts how long blocks have been quiet, and puts those to sleep that have
  // been so for long enough.
  void fall_asleep(double dt) const {
    if (!model_.solver.sleep) return;
    for (const std::uint32_t n : scratch_.active)
      for (const std::int32_t tile : scratch_.grid.tiles_of(n))
        if (tile != SparseGrid<D>::kNone && store_.blocks[tile].rest == Rest::kAsleep) feel(n, store_.blocks[tile]);
    parallel_for(scratch_.awake.size(), [&](std::size_t i) {
      ParticleBlock<D>& block = store_.blocks[scratch_.awake[i]];
      if (block.rest == Rest::kDozing) {
        block.rest = Rest::kAsleep;  // its last tile has been made
      } else {
        block.quiet_time = loud(block) ? 0 : block.quiet_time + static_cast<float>(std::min(dt, kQuietTime / kQuietSteps));
      }
    });
    const std::vector<std::uint8_t> quiet_enough = for_every_block([&](std::uint32_t b) {
      const ParticleBlock<D>& block = store_.blocks[b];
      return block.rest == Rest::kAwake && !block.alone && block.quiet_time >= kQuietTime && !loud_neighbour(b);
    });
    parallel_for(quiet_enough.size(), [&](std::size_t b) {
      if (quiet_enough[b]) put_to_sleep(store_.blocks[b]);
    });
  }

 private:
  bool loud(const ParticleBlock<D>& block) const { return block.speed > kQuietPart * kQuietTime * norm(model_.gravity); }

  void feel(std::uint32_t node_block, ParticleBlock<D>& sleeper) const {
    sleeper.unbalanced = std::max<double>(sleeper.unbalanced, scratch_.unbalanced[node_block]);
  }

  template <class Test>
  bool any_tile(std::uint32_t node_block, Test test) const {
    for (const std::int32_t tile : scratch_.grid.tiles_of(node_block))
      if (tile != SparseGrid<D>::kNone && test(store_.blocks[tile])) return true;
    return false;
  }

  // Every block that shares nodes with b, b itself included.
  bool loud_neighbour(std::uint32_t b) const {
    for (const std::int32_t node_block : scratch_.grid.nodes_of(b))
      if (any_tile(node_block, [&](const ParticleBlock<D>& block) { return block.rest == Rest::kAwake && loud(block); })) return true;
    return false;
  }

  void wake() const {
    const Bodies<T, D> bodies = freeze<T, D>(model_.bodies, now_.poses, now_.time);
    std::vector<Body<T, D>> moving;
    for (const Body<T, D>& body : bodies.list)
      if (body.moves()) moving.push_back(body);
    const std::vector<std::uint8_t> disturbed = for_every_block([&](std::uint32_t b) {
      const ParticleBlock<D>& block = store_.blocks[b];
      if (block.rest == Rest::kAwake) return false;
      constexpr int edge = BlockShape<D>::kEdge;
      std::vector<Body<T, D>> near;
      near_bodies(moving, block.first_cell - Cell<D>::filled(edge), 3 * edge, T(model_.h), near);
      return !near.empty() || block.unbalanced > kUnbalanced * norm(model_.gravity) || loud_neighbour(b);
    });
    for (std::size_t b = 0; b < disturbed.size(); ++b)
      if (disturbed[b]) store_.blocks[b].wake();
  }

  // What `question` says of every block, before any of them changes.
  template <class Question>
  std::vector<std::uint8_t> for_every_block(Question question) const {
    std::vector<std::uint8_t> answers(store_.blocks.size());
    parallel_for(answers.size(), [&](std::size_t b) { answers[b] = question(static_cast<std::uint32_t>(b)); });
    return answers;
  }

  // Its particles stand still from now on, in both buffers.
  void put_to_sleep(ParticleBlock<D>& block) const {
    block.rest = Rest::kDozing;
    scratch_.reports[block.place].loads.clear();
    for (std::uint32_t i = 0; i < block.count; ++i) {
      const std::uint32_t slot = block.slot(i);
      for (auto& column : store_.particles.velocity) column[slot] = T(0);
      for (auto& column : store_.particles.B)
        if (!column.empty()) column[slot] = T(0);
    }
    for (const std::uint32_t group : block.groups) scratch_.next.copy_changing(store_.particles, group);
  }

  const Model& model_;
  const State& now_;
  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
};

}  // namespace firn::cpu
