// The CUDA solver: what it holds and does. Apart because the bodies of its functions are in two files. Particles live on the device; the
// state gets them back where it is to be saved or looked at.
#pragma once

#include <algorithm>
#include <bit>
#include <mutex>

#include "core/clock.h"
#include "solver/cuda/binning.h"
#include "solver/cuda/device_bodies.h"
#include "solver/cuda/fused.h"
#include "solver/cuda/fused_hessian.h"
#include "solver/cuda/grid_pass.h"
#include "solver/cuda/particle_arrays.h"
#include "solver/cuda/prepare.h"
#include "solver/solver.h"

namespace firn::cuda {

template <class T>
void clear(const Buffer<T>& buffer, std::size_t n) {
  check(cudaMemsetAsync(buffer.data(), 0, n * sizeof(T)), "clearing the grid");
}

template <class T, int D, class Kernel>
class CudaSolver : public Solver {
 public:
  State create(const Model& model, ParticleTable table) override;
  void attach(const Model& model, State& state) override;
  void bring_home(const Model& model, State& state) override;
  StepInfo step(const Model& model, State& state, double longest) override;
  void add(const Model& model, State& state, const ParticleTable& particles) override;
  Removed remove(const Model& model, State& state) override;
  GridFields grid(const Model& model, State& state) override;
  ParticleTable rows(const Model& model, const State& state, std::size_t begin, std::size_t end) const override;
  std::size_t bytes(const State& state) const override;

  // Why the GPU there is cannot run it; empty: it can.
  static std::string unfit(const SolverSettings& settings);

 private:
  using Store = ParticleStore<T, D>;
  static constexpr int kOfBlocks = kThreads<D>, kOfNodes = kNodeThreads<D>;

  // The particles as columns of the host, in the order of the device.
  struct Home {
    Particles<T, D> particles;
    std::vector<std::uint32_t> slot_of_id;
  };

  Cell<D> origin(const Model& model) const { return convert_vec<std::int32_t, D>(model.origin); }
  Constants<T, D> constants(const Model& model, double dt) const { return {model, dt, Kernel::kSupport, Kernel::kInverseD}; }
  StepArgs<T, D> args(const Model& model, double dt);
  // The explicit step in one kernel; otherwise in stages.
  static constexpr bool kMayFuse = std::is_same_v<T, float> && D == 3;
  static bool is_fused(const Model& model) { return kMayFuse && model.solver.integrator == Integrator::kExplicit; }
  void launch_fused(const Model& model, const StepArgs<T, D>& now, const StepArgs<T, D>& next, bool gathers) const;
  void step_fused(const Model& model, StepArgs<T, D>& a);
  void make_overflow_room(int wanted) {
    overflow_room_ = wanted + wanted / 4;
    overflow_.reserve(std::size_t(overflow_room_) * Staged<true>::kBytes / sizeof(float4) + 1);
    overflow_where_.reserve(overflow_room_);
  }

  void append(const Model& model, const Particles<T, D>& from, const std::vector<std::uint32_t>& slots);
  void sort_into_blocks(const Model& model, std::size_t staying, const std::uint8_t* gone);
  struct Scattered;
  void reserve_grid(const Model& model, Scattered& grid);
  void reserve_work(const Model& model);
  void carry_grid(const Model& model, const State& state);
  void find_near(const StepArgs<T, D>& a);
  void scatter_again(const Model& model, const State& state, bool with_lone);
  void find_contact_layers(StepArgs<T, D>& a);
  void read_reports(bool fused, SnowReport& snow, StepReport& step);
  Attempt try_step(const Model& model, const State& state, double dt, StepInfo& report);
  Attempt solve(const Model& model, StepArgs<T, D>& a, StepInfo& report);
  ChosenStep choose_step(const Model& model, const State& state, double longest) const;
  const Home& home(const Model& model) const;
  void fetch_home(const Model& model) const;
  // From now on the particles are here alone.
  static void leave_home(State& state) {
    if (!state.of<T, D>().blocks.empty()) state.of<T, D>() = {};
  }
  // They lie elsewhere, or are others than a moment ago.
  void changed() {
    scattered_ = false;
    home_.reset();
  }

  ParticleArrays<T, D> particles_;
  std::size_t count_ = 0, binned_ = 0;  // particles; those of them that are in blocks
  Binning<D> binning_;
  typename Binning<D>::Counts blocks_;
  bool scattered_ = false;  // the grid is that of the particles as they are

  Buffer<SnowParameters<T>> materials_;
  BrickStore bricks_;
  DeviceBodies<T, D> bodies_, before_, sinks_;
  // What a scatter leaves: of the state as it is, and room for that of the next one.
  struct Scattered {
    Buffer<Quad<T>> nodes;  // momentum of all, then forces
    Buffer<int> layer_first, layer_count, layer_body;
    Buffer<T> gaps;
    Buffer<Quad<T>> memory, held;
    int layers = 0;
    std::int64_t layers_of = -1;  // the sort whose blocks they belong to

    void reserve_layers(std::size_t n) {
      layer_body.reserve(n);
      gaps.reserve(n * Layout<D>::kNodes);
      memory.reserve(n * Layout<D>::kNodes);
      held.reserve(n * Layout<D>::kNodes);
    }
    Quad<T>* momentum() const { return nodes.data(); }
    Quad<T>* force(std::size_t count) const { return nodes.data() + count; }
    void clear(std::size_t count) const { cuda::clear(nodes, 2 * count); }
    ContactView<T> contact() const {
      return {layer_first.data(), layer_count.data(), layer_body.data(), gaps.data(), memory.data(), held.data()};
    }
    std::size_t bytes() const {
      return nodes.bytes() + layer_first.bytes() + layer_count.bytes() + layer_body.bytes() + gaps.bytes() + memory.bytes() + held.bytes();
    }
  };
  Scattered scatter_now_, scatter_next_;
  Buffer<Quad<T>> velocity_;
  Buffer<std::uint8_t> near_blocks_;  // of the fused step
  std::int64_t sorts_ = 0, near_of_ = -1;
  typename Binning<D>::Counts carried_;  // blocks before the last sort
  Buffer<Tally> tallies_;
  int entry_count_ = 0;
  Buffer<float4> overflow_;
  Buffer<int2> overflow_where_;
  int overflow_room_ = 0;
  double sort_seconds_ = 0;  // since the last step began
  Buffer<Quad<T>> r_, p_, Ap_, Ar_, Hu_;
  Buffer<Constraint<T, D>> constraints_;
  Buffer<T> solve_;
  Buffer<double> partial_;
  Buffer<SolveState> solve_state_;
  Buffer<std::uint8_t> alone_;
  Buffer<Cell<D>> new_cells_;
  Cell<D> new_low_{}, new_high_{};  // the blocks that the last newcomers are in
  Buffer<int> gone_counts_;
  bool is_between_orders_ = false;  // a sort has begun that did not end: nobody knows who is where
  Buffer<Reports> reports_;         // with loads behind them, in as many as they fill
  Pinned<Reports> reports_here_;
  SnowReport snow_{}, next_snow_{};
  std::vector<double> loads_of_step_;
  mutable std::unique_ptr<Home> home_;
  mutable std::mutex home_mutex_;
};

template <class T>
void copy_to_device(const T& from, T* to, const char* what) {
  check(cudaMemcpyAsync(to, &from, sizeof from, cudaMemcpyHostToDevice), what);
}
template <class T>
void copy_to_host(const T* from, std::size_t n, T* to, const char* what) {
  check(cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyDeviceToHost), what);
}
inline bool some_body_moves(const Model& model) {
  return std::any_of(model.bodies.begin(), model.bodies.end(), [](const BodyModel& b) { return b.motion.moves() || b.deformation; });
}

}  // namespace firn::cuda
