// All of a run that changes, as plain data: whatever the next step depends on is here, or constant in the model. It can be saved, loaded
// and hashed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "collide/body.h"
#include "core/bytes.h"
#include "particles/block_store.h"

namespace firn {

// What bodies feel of the nodes of one block.
struct NodeBlockLoads {
  BlockKey key;
  NearLoads loads;
};

// The particles in stored order, block by block.
template <class T, int D>
struct ParticleStore {
  Particles<T, D> particles;
  std::vector<ParticleBlock<D>> blocks;  // by key
  NumberPool pool;
  std::vector<NodeBlockLoads> loads;  // of node blocks, by key: snow that sleeps still weighs on what is under it
};

// How far a window has got with one body of snow.
struct WindowState {
  std::optional<CellBox<3>> cells;      // where it was last; none: nowhere yet
  std::unordered_set<BlockKey> filled;  // blocks that have had their snow; none is filled twice
};

// How far what comes in and goes out has got.
struct PopulationState {
  std::int64_t emitted = 0, killed = 0, left = 0;  // particles, since the start
  std::vector<std::int64_t> given;                 // particles, by each source
  std::vector<std::uint8_t> late_has_come;         // of each snow that comes later
  std::vector<WindowState> window;                 // by each body of snow
};

// The time that is being simulated, which steps divide.
struct TimeSpan {
  double begin = 0, end = 0;  // s
};

struct State {
  double time = 0;  // s
  std::int64_t steps = 0;
  std::size_t particle_count = 0;  // now
  std::size_t next_id = 0;         // of the next particle; ids are never used again
  TimeSpan span;
  PopulationState population;
  std::vector<Pose> poses;  // of the bodies, at this time
  std::variant<ParticleStore<float, 2>, ParticleStore<float, 3>, ParticleStore<double, 2>, ParticleStore<double, 3>> store;

  template <class T, int D>
  ParticleStore<T, D>& of() {
    return std::get<ParticleStore<T, D>>(store);
  }
  template <class T, int D>
  const ParticleStore<T, D>& of() const {
    return std::get<ParticleStore<T, D>>(store);
  }
};

// A state as bytes: saved, loaded, hashed.

void save(const State& state, ByteWriter& to);
// Throws UserError when the bytes are not those of a state.
State load_state(ByteReader& from);

// 32 hexadecimal digits of the bytes that save() gives: equal for equal states, whatever their memory looks like.
std::string hash_of(const State& state);

}  // namespace firn
