// What every backend offers: make a state from particles, step it, give the particles back. Also sums over them, and their memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "particles/storage.h"
#include "particles/table.h"
#include "solver/model.h"
#include "state/state.h"

namespace firn {

// A particle is alone when no other is so many cells away, or fewer, on every axis: then it shares no node with any. It is a grain that
// feels gravity and bodies; without neighbours there is no stress, and no velocity gradient to deform it. One particle a block is the
// most that can be alone (grid/block.h), which is what the number comes from.
template <int D>
inline constexpr int kAloneReach = BlockShape<D>::kEdge - 1;

// How many particles were taken out.
struct Removed {
  std::int64_t killed = 0;  // by sinks
  std::int64_t left = 0;    // the domain or the window
};

// Steps states. What a backend keeps of one between its calls is scratch: attach() makes it anew.
class Solver {
 public:
  virtual ~Solver() = default;

  // A state at time 0 from its first particles.
  virtual State create(const Model& model, ParticleTable particles) = 0;

  // To be called before anything else is done with a state that comes from elsewhere, and after the model has changed.
  virtual void attach(const Model& model, State& state) = 0;

  // One step, at most `longest` seconds: exactly that long when the model's time step is fixed, else as long as is safe.
  // Throws RunError when the step fails and may not be cut.
  virtual StepInfo step(const Model& model, State& state, double longest) = 0;

  // Between steps: new particles, each with its volume; their ids go on from state.next_id.
  virtual void add(const Model& model, State& state, const ParticleTable& particles) = 0;

  // Between steps: takes out what the model's sinks, domain and window have no room for at the state's time.
  virtual Removed remove(const Model& model, State& state) = 0;

  // Particles with ids in [begin, end), those that are still there: whoever wants all of them, [0, next_id), can go piece by piece and
  // save memory.
  virtual ParticleTable rows(const Model& model, const State& state, std::size_t begin, std::size_t end) const = 0;

  // The nodes with mass as the next step's own scatter makes them, by x, then y, then z. The state's particles may change their order, as
  // they would at the beginning of that step.
  virtual GridFields grid(const Model& model, State& state) = 0;

  // Backends that keep particles elsewhere put them into the state, so that it can be saved, hashed or looked at. Until then its store may
  // be empty; the rest of it is always there.
  virtual void bring_home(const Model&, State&) {}

  // Memory of the state and all scratch, bytes.
  virtual std::size_t bytes(const State& state) const = 0;

  // Runs it where loops use as many threads as the solver does.
  virtual void in_threads(const std::function<void()>& work) { work(); }
};

// The state at another moment, with its bodies where they are then.
void set_time(const Model& model, State& state, double time);

// What the snow did to bodies in a step, from what it did in its mean.
std::vector<BodyLoad> loads_over(double dt, const std::vector<Load>& loads);

// Throws RunError when there are no ids for so many more particles.
void check_ids_left(const State& state, std::size_t more);

// threads: 0 means all cores (the reference uses one).
std::unique_ptr<Solver> make_solver(const Model& model, Backend backend, int threads);

// Sums over all particles; in double and in id order, so that every backend is measured alike.
Statistics sum_up(const Model& model, const Solver& solver, const State& state);

// The columns that particles of this model have.
inline OptionalColumns columns_of(const Model& model) { return {model.solver.transfer == Transfer::kApic, model.varied, model.holds()}; }

// A vector as public headers have it.
inline Vector to_array(const Vec<double, 3>& v) { return {v[0], v[1], v[2]}; }

// Puts a node behind those that are there.
template <int D>
void add_node(const Cell<D>& cell, double mass, const Vec<double, D>& velocity, const Vec<double, D>& force, GridFields& fields) {
  std::array<std::int32_t, 3> node{};
  Vector v{}, f{};
  for (int d = 0; d < D; ++d) {
    node[d] = cell[d];
    v[d] = velocity[d];
    f[d] = force[d];
  }
  fields.node.push_back(node);
  fields.mass.push_back(mass);
  fields.velocity.push_back(v);
  fields.force.push_back(f);
}

// All nodes of the parts in the order that Solver::grid() gives them.
GridFields in_node_order(const Model& model, const std::vector<GridFields>& parts);

// What a run will need, before it takes it.

struct GridSize {
  std::size_t blocks = 0;       // with particles
  std::size_t node_blocks = 0;  // under them
  std::size_t small_tiles = 0;  // of the particles in blocks that have few
  std::size_t whole_tiles = 0;  // of the other blocks
};

GridSize count_blocks(const Model& model, const ParticleTable& particles);

// Bytes at the peak of a run: the state with its grid, or the table it starts from, whichever is more. varied: particles have
// parameters of their own.
double estimate_bytes(const Scene& scene, double particles, const GridSize& grid, bool varied);

}  // namespace firn
