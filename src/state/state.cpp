#include "state/state.h"

#include "core/bytes.h"

namespace firn {

template <class S, class Base>
concept Like = std::is_same_v<std::remove_const_t<S>, Base>;

template <class A, class S>
requires Like<S, CellBox<3>>
void describe(A& a, S& box) { archive(a, box.lower.a, box.upper.a); }

template <class A, class S>
requires Like<S, Pose>
void describe(A& a, S& pose) {
  archive(a, pose.displacement, pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.velocity, pose.spin);
}

template <class A, class S>
requires Like<S, Vec<double, 3>>
void describe(A& a, S& v) { archive(a, v[0], v[1], v[2]); }

template <class A, class S>
requires Like<S, NearLoad>
void describe(A& a, S& near) { archive(a, near.body, near.load.force, near.load.torque, near.load.power); }

template <class A, class S>
requires Like<S, NodeBlockLoads>
void describe(A& a, S& block) { archive(a, block.key, block.loads); }

template <class A, class S>
requires Like<S, WindowState>
void describe(A& a, S& window) { archive(a, window.cells, window.filled); }

template <class A, class S>
requires Like<S, PopulationState>
void describe(A& a, S& population) {
  archive(a, population.emitted, population.killed, population.left, population.given, population.late_has_come, population.window);
}

template <class A, class S, int D>
requires Like<S, ParticleBlock<D>>
void describe_block(A& a, S& block) {
  archive(a, block.key, block.first_cell.a, block.count, block.rest, block.alone, block.speed, block.unbalanced, block.limited,
          block.quiet_time);
}
template <class A, class S>
requires Like<S, ParticleBlock<2>>
void describe(A& a, S& block) { describe_block<A, S, 2>(a, block); }
template <class A, class S>
requires Like<S, ParticleBlock<3>>
void describe(A& a, S& block) { describe_block<A, S, 3>(a, block); }

// Blocks that were read get groups of their own, and the columns room for them.
template <class T, int D>
void make_room(ParticleStore<T, D>& store, const OptionalColumns& optional) {
  for (ParticleBlock<D>& block : store.blocks)
    for (std::uint32_t g = 0; g < groups_for(block.count); ++g) block.groups.push_back(store.pool.take());
  store.particles.resize(slots_for(store.pool), optional);
}

// Column by column, in the order of the blocks.
template <class A, class S>
void describe_store(A& a, S& store) {
  OptionalColumns optional = store.particles.optional();
  std::uint8_t others = static_cast<std::uint8_t>(optional.varied + 2 * optional.held);
  archive(a, optional.affine, others, store.blocks, store.loads);
  if constexpr (A::kReads) {
    optional.varied = others & 1;
    optional.held = others & 2;
    make_room(store, optional);
  }
  auto& particles = store.particles;
  particles.for_each_column(particles, particles, [&](auto& column, auto&) {
    for (auto& block : store.blocks)
      block.template for_each_pack<kGroupSize>(
          [&](std::size_t at, int n) { a.bytes(column.at(at), static_cast<std::size_t>(n) * sizeof column[at]); });
  });
}

template <class A, class S>
requires Like<S, State>
void describe(A& a, S& state) {
  archive(a, state.time, state.steps, state.particle_count, state.next_id, state.span.begin, state.span.end, state.population, state.poses);
  std::uint8_t kind = static_cast<std::uint8_t>(state.store.index());
  archive(a, kind);
  if constexpr (A::kReads) {
    const auto make = [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((kind == I ? void(state.store.template emplace<I>()) : void()), ...);
    };
    make(std::make_index_sequence<std::variant_size_v<decltype(state.store)>>{});
  }
  std::visit([&](auto& store) { describe_store(a, store); }, state.store);
}

void save(const State& state, ByteWriter& to) {
  archive(to, state);
  to.flush();
}

State load_state(ByteReader& from) {
  State state;
  archive(from, state);
  std::size_t particles = 0;
  std::visit(
      [&](const auto& store) {
        for (const auto& block : store.blocks) particles += block.count;
      },
      state.store);
  if (particles != state.particle_count) throw UserError("the state has not as many particles as it says");
  return state;
}

std::string hash_of(const State& state) {
  ByteHash hash;
  ByteWriter writer([&](std::string_view bytes) { hash.add(bytes); });
  save(state, writer);
  return hash.digits();
}

}  // namespace firn
