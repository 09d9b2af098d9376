// Bodies of CudaSolver: which kernels run when, and what the host has to know in between. Apart because the generated file of each
// dimension and precision includes it.
#pragma once

#include "solver/cuda/device_solver_particles.h"

namespace firn::cuda {

template <class T, int D, class Kernel>
std::string CudaSolver<T, D, Kernel>::unfit(const SolverSettings& settings) {
  cudaFuncAttributes code;
  if (cudaFuncGetAttributes(&code, gather<T, D, Kernel>) != cudaSuccess) {
    cudaGetLastError();
    return "this build of firn has no code for the GPU (FIRN_CUDA_ARCHITECTURES)";
  }
  if constexpr (kMayFuse) {
    const auto shared_of = [](auto kernel, std::size_t dynamic) {
      cudaFuncAttributes found;
      check(cudaFuncGetAttributes(&found, kernel), "asking for shared memory");
      return found.sharedSizeBytes + dynamic;
    };
    std::size_t wanted = 0;
    if (settings.integrator != Integrator::kExplicit)
      wanted = shared_of(fused_hessian<Kernel>, HessianShape<Kernel>::kBytes);
    else if (settings.transfer == Transfer::kApic)
      wanted = shared_of(fused_step<Kernel, true>, FusedShape<Kernel, true>::kBytes);
    else
      wanted = shared_of(fused_step<Kernel, false>, FusedShape<Kernel, false>::kBytes);
    int most = 0;
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "asking for shared memory");
    if (wanted > static_cast<std::size_t>(most))
      return "a step wants " + std::to_string(wanted / 1024) + " KB of shared memory, and the GPU has " + std::to_string(most / 1024);
  }
  return "";
}

// Of a try, and of the scatter that it ended with.
template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::read_reports(bool fused, SnowReport& snow, StepReport& step) {
  const std::size_t bytes = sizeof(Reports) + loads_of_step_.size() * sizeof(double);
  check(cudaMemcpyAsync(reports_here_.data(), reports_.data(), bytes, cudaMemcpyDeviceToHost), "reading a report");
  check(cudaStreamSynchronize(nullptr), "a step");
  snow = reports_here_[0].snow;
  step = reports_here_[0].step;
  std::copy_n(loads_of(reports_here_.data()), loads_of_step_.size(), loads_of_step_.data());
  if (!fused) return;
  Tally sum = reports_here_[0].sums[0];
  for (int k = 1; k < kFinishCtas; ++k) sum.add(reports_here_[0].sums[k]);
  const auto as_float = [](unsigned bits) { return double(std::bit_cast<float>(bits)); };
  snow.wave = as_float(sum.wave);
  snow.speed = as_float(sum.speed);
  snow.pull = sum.pull;
  snow.mass = sum.mass > 0 ? sum.mass : snow_.mass;
  snow.strayed = sum.strayed;
  snow.outside = sum.outside;
  step.fault = std::min(step.fault, sum.fault);
  step.limited = sum.limited;
  step.relaxed = sum.relaxed;
  step.capped = sum.capped;
  step.dissipated = sum.dissipated;
}

inline constexpr int kPrepareCtas = 1024;  // some eight on each multiprocessor of large GPUs

// Particles that have left their blocks are scattered one by one: more than this part of them, and they are sorted.
inline constexpr double kMostOutside = 0.12;

template <class T, int D, class Kernel>
StepArgs<T, D> CudaSolver<T, D, Kernel>::args(const Model& model, double dt) {
  StepArgs<T, D> a{constants(model, dt),
                   particles_.now(),
                   particles_.next(),
                   binning_.view(blocks_, origin(model)),
                   {scatter_now_.momentum(), scatter_now_.force(binning_.view(blocks_, origin(model)).nodes()), velocity_.data()},
                   scatter_now_.contact(),
                   materials_.data(),
                   nullptr,
                   nullptr,
                   static_cast<int>(model.bodies.size()),
                   reports_.data() == nullptr ? nullptr : loads_of(reports_.data()),
                   alone_.data(),
                   solve_.data(),
                   constraints_.data(),
                   &reports_.data()->snow,
                   &reports_.data()->step,
                   some_body_moves(model),
                   is_fused(model)};
  return a;
}

// Bodies near blocks of nodes; where there are more than there is room for, once more with room.
template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::find_contact_layers(StepArgs<T, D>& a) {
  for (;;) {
    Scattered& to = scatter_now_;
    const std::size_t room = to.layer_body.room();
    find_contacts<T, D>
        <<<blocks_.node_blocks, 32>>>(a, to.layer_first.data(), to.layer_count.data(), to.layer_body.data(), static_cast<int>(room));
    check_launch("finding contacts");
    unsigned layers = 0;
    copy_to_host(&a.snow->layers, 1, &layers, "finding contacts");
    if (layers <= room) {
      to.layers = static_cast<int>(layers);
      to.layers_of = sorts_;
      return;
    }
    to.reserve_layers(layers + layers / 4 + 64);
    a.contact = to.contact();
    check(cudaMemsetAsync(&a.snow->layers, 0, sizeof layers), "finding contacts");
  }
}

template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::scatter_again(const Model& model, const State& state, bool with_lone) {
  if (binned_ < count_) sort_into_blocks(model, count_, nullptr);
  reserve_grid(model, scatter_now_);
  for (int tries = 0;; ++tries) {
    snow_ = empty_report();
    if (count_ == 0) return;
    const bool fused = is_fused(model) && with_lone;
    start_reports<<<1, 128>>>(reports_.data(), 0, true, false);
    StepArgs<T, D> a = args(model, 1);
    a.before = before_.bring(freeze<T, D>(model.bodies, state.poses, state.time), bricks_);
    if (a.c.holds) find_contact_layers(a);
    if (fused) {
      prepare_scatter<T, D><<<kPrepareCtas, 256>>>(a, a, -1);
      find_near(a);
      launch_fused(model, a, a, false);
    } else {
      scatter_now_.clear(a.blocks.nodes());
      scatter<T, D, Kernel><<<blocks_.blocks, kOfBlocks>>>(a, with_lone);
      check_launch("scatter");
    }
    if (a.bodies_move) find_extent<T, D><<<blocks_.blocks, kOfBlocks>>>(a);
    StepReport none;
    read_reports(fused, snow_, none);
    const bool had_room = snow_.overflowed <= overflow_room_ || !fused;
    if (!had_room) make_overflow_room(snow_.overflowed);
    if (snow_.strayed == 0) break;
    if (tries > 0 && had_room) throw RunError("the GPU lost particles from their blocks");  // unreachable: a sort brings all home
    sort_into_blocks(model, count_, nullptr);
    reserve_grid(model, scatter_now_);
  }
  scattered_ = with_lone;
}

// Which blocks have bodies near; those that stand still are near the same ones until the next sort.
template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::find_near(const StepArgs<T, D>& a) {
  if constexpr (kMayFuse) {
    if (a.body_count == 0 || (near_of_ == sorts_ && !a.bodies_move)) return;
    find_near_blocks<<<launches(blocks_.blocks, 4), 128>>>(a, near_blocks_.data());
    if (near_of_ != sorts_) binning_.order_entries(entry_count_, near_blocks_.data());
    near_of_ = sorts_;
  }
}

// Gathers from `now` and scatters to `next`, or scatters `next` as it is.
template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::launch_fused(const Model& model, const StepArgs<T, D>& now, const StepArgs<T, D>& next, bool gathers) const {
  if constexpr (kMayFuse) {
    FusedArgs fused{now,
                    next,
                    binning_.entries(),
                    next.body_count > 0 ? near_blocks_.data() : nullptr,
                    gathers,
                    model.materials.size() == 1,
                    {},
                    {overflow_.data(), overflow_where_.data(), overflow_room_},
                    tallies_.data()};
    if (fused.one_material) fused.material = convert<T>(model.materials[0]);
    const auto launch = [&]<bool Apic>(std::bool_constant<Apic>) {
      using Shape = FusedShape<Kernel, Apic>;
      check(cudaFuncSetAttribute(fused_step<Kernel, Apic>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(Shape::kBytes)),
            "shared memory");
      fused_step<Kernel, Apic><<<entry_count_, Shape::kThreads, Shape::kBytes>>>(fused);
      finish_step<Kernel, Apic><<<kFinishCtas, kFinishThreads>>>(fused, entry_count_, reports_.data()->sums);
    };
    if (model.solver.transfer == Transfer::kApic)
      launch(std::true_type());
    else
      launch(std::false_type());
    check_launch("the fused step");
  }
}

template <class T, int D, class Kernel>
ChosenStep CudaSolver<T, D, Kernel>::choose_step(const Model& model, const State& state, double longest) const {
  SnowExtent extent(state.time);
  if (snow_.lower[0] <= snow_.upper[0])
    for (const int* corner : {snow_.lower, snow_.upper}) {
      Cell<D> cell;
      for (int d = 0; d < D; ++d) cell[d] = model.origin[d] + corner[d];
      extent.include_block_of<D>(model, cell);
    }
  const StepLimits limits{snow_.wave, std::sqrt(snow_.soft_wave_squared), snow_.speed};
  return choose_time_step(model, with_inflow(limits, model, state.time, longest), extent, longest);
}

template <class T, int D, class Kernel>
Attempt CudaSolver<T, D, Kernel>::solve(const Model& model, StepArgs<T, D>& a, StepInfo& report) {
  const auto start = Clock::now();
  SolveState* const state = solve_state_.data();
  const SolveVectors<T> x{r_.data(), p_.data(), Ap_.data(), Ar_.data(), Hu_.data(), partial_.data(), state};
  const unsigned ctas = launches(a.blocks.nodes(), kVectorThreads);
  SolveState host{};
  host.tolerance = model.solver.tolerance;
  host.most_error = kMostError;
  host.max_iterations = model.solver.max_iterations;
  host.rounding = 10 * kEpsilon<T>;
  copy_to_device(host, state, "starting a solve");
  clear(Hu_, a.blocks.nodes());
  const auto hessian = [&](const Quad<T>* u, const SolveState* unless_done) {
    if constexpr (kMayFuse) {
      using Shape = HessianShape<Kernel>;
      fused_hessian<Kernel><<<entry_count_, Shape::kThreads, Shape::kBytes>>>({a, binning_.entries(), u, x.Hu, unless_done});
    } else {
      multiply_hessian<T, D, Kernel><<<blocks_.blocks, kOfBlocks>>>(a, u, x.Hu, unless_done);
    }
  };
  if constexpr (kMayFuse)
    check(cudaFuncSetAttribute(fused_hessian<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(HessianShape<Kernel>::kBytes)),
          "shared memory");
  if (a.c.plastic) soften<T, D, Kernel><<<blocks_.blocks, kOfBlocks>>>(a);
  hessian(a.grid.velocity, nullptr);
  start_solve<T, D><<<ctas, kVectorThreads>>>(a, x);
  constexpr int kAtOnce = 4;  // iterations before the host asks; those that are not needed return at once
  for (;;) {
    for (int k = 0; k < kAtOnce; ++k) {
      hessian(x.r, state);
      multiply_rows<T, D><<<ctas, kVectorThreads>>>(a, x);
      next_direction<T, D><<<ctas, kVectorThreads>>>(a, x);
      advance_solution<T, D><<<ctas, kVectorThreads>>>(a, x);
    }
    check_launch("the implicit solve");
    copy_to_host(state, 1, &host, "the implicit solve");
    if (host.done) break;
  }
  report.seconds[static_cast<int>(Phase::kSolve)] += seconds_since(start);
  report.iterations += host.iterations;
  report.residual = host.first > 0 ? host.residual / host.first : 0;
  if (!host.converged) return {Fault::kSolve, 0};
  if (!host.trusted && may_be_cut_for_energy(model, report)) return {Fault::kUntrusted, 0};
  hessian(a.grid.velocity, nullptr);
  collide_again<T, D><<<blocks_.node_blocks, kOfNodes>>>(a, x.Hu);
  check_launch("collisions after the solve");
  return {};
}

// The rest of this step and the scatter of the next one.
template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::step_fused(const Model& model, StepArgs<T, D>& a) {
  reserve_grid(model, scatter_next_);
  StepArgs<T, D> next = args(model, 1);
  next.now = a.next;
  next.before = a.bodies;
  next.grid.momentum = scatter_next_.momentum();
  next.grid.force = scatter_next_.force(a.blocks.nodes());
  next.contact = scatter_next_.contact();
  // The layers of bodies that stand still are the same until the next sort.
  Scattered& to = scatter_next_;
  const bool knows_layers = a.c.holds && to.layers_of == sorts_ && !next.bodies_move;
  prepare_scatter<T, D><<<kPrepareCtas, 256>>>(a, next, knows_layers ? to.layers : -1);
  if (a.c.holds && !knows_layers) {
    find_contacts<T, D><<<blocks_.node_blocks, 32>>>(next, to.layer_first.data(), to.layer_count.data(), to.layer_body.data(),
                                                     static_cast<int>(to.layer_body.room()));
    to.layers_of = -1;  // until the host knows that there was room
  }
  find_near(next);
  launch_fused(model, a, next, true);
  if (a.bodies_move) find_extent<T, D><<<blocks_.blocks, kOfBlocks>>>(next);
  check_launch("the fused step");
}

// What was scattered, in the blocks of a sort that came after: only the sums' places change.
template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::carry_grid(const Model& model, const State& state) {
  const std::size_t nodes_before = std::size_t(carried_.node_blocks) * Layout<D>::kNodes;
  std::swap(scatter_now_, scatter_next_);
  const Scattered& old = scatter_next_;
  reserve_grid(model, scatter_now_);
  StepArgs<T, D> a = args(model, 1);
  a.before = before_.bring(freeze<T, D>(model.bodies, state.poses, state.time), bricks_);
  check(cudaMemsetAsync(&a.snow->layers, 0, sizeof(unsigned)), "finding contacts");
  if (a.c.holds) find_contact_layers(a);
  carry_nodes<T, D><<<blocks_.node_blocks, Layout<D>::kNodes>>>(a, binning_.node_keys(), binning_.node_keys_before(), carried_.node_blocks,
                                                                {old.momentum(), old.force(nodes_before), nullptr}, old.contact());
  check_launch("carrying the grid over");
  scattered_ = true;
}

template <class T, int D, class Kernel>
Attempt CudaSolver<T, D, Kernel>::try_step(const Model& model, const State& state, double dt, StepInfo& report) {
  StepReport own{};
  own.fault = kNoFault;
  loads_of_step_.assign(model.bodies.size() * kLoadValues, 0);
  if (count_ > 0) {
    StepArgs<T, D> a = args(model, dt);
    a.bodies = bodies_.bring(freeze<T, D>(model.bodies, poses_at(model.bodies, state.time + dt), state.time + dt), bricks_);
    start_reports<<<1, 128>>>(reports_.data(), static_cast<int>(loads_of_step_.size()), is_fused(model), true);
    if (!a.only_near_bodies || a.body_count > 0) update_grid<T, D><<<blocks_.node_blocks, kOfNodes>>>(a);
    check_launch("grid");
    if (a.c.implicit)
      if (const Attempt solved = solve(model, a, report); solved.fault != Fault::kNone) return solved;
    if (is_fused(model)) {
      step_fused(model, a);
    } else {
      gather<T, D, Kernel><<<blocks_.blocks, kOfBlocks>>>(a);
      check_launch("gather");
    }
    read_reports(is_fused(model), next_snow_, own);
  }
  if (!model.implicit()) {
    const double g = norm(model.gravity);
    own.gravity_work += dt * (snow_.pull + dt * g * g * snow_.mass);
  }
  report.limited = own.limited;
  report.relaxed = own.relaxed;
  report.capped = own.capped;
  report.plastic_work = own.dissipated;
  report.gravity_work = own.gravity_work;
  report.alone = is_fused(model) ? own.alone : snow_.alone;
  if (own.fault != kNoFault) return {static_cast<Fault>(own.fault & 0xff), static_cast<std::uint32_t>(own.fault >> 8)};
  if (!model.checks_energy() || !may_be_cut_for_energy(model, report)) return {};
  EnergyBalance balance{snow_.energy, own.energy, own.gravity_work, 0};
  for (std::size_t b = 0; b < model.bodies.size(); ++b) balance.bodies -= loads_of_step_[b * kLoadValues + 6] * dt;
  return {balance.is_bad() ? Fault::kEnergy : Fault::kNone, 0};
}

template <class T, int D, class Kernel>
StepInfo CudaSolver<T, D, Kernel>::step(const Model& model, State& state, double longest) {
  const auto begin = Clock::now();
  StepInfo report;
  leave_home(state);
  // The solve goes over the particles many times: it is worth having all of them in their blocks.
  if (kMayFuse && model.implicit() && count_ > 0) sort_into_blocks(model, count_, nullptr);
  if (!scattered_) scatter_again(model, state, true);
  take_step(model, state, choose_step(model, state, longest), report, [&](double dt) { return try_step(model, state, dt, report); });
  particles_.swap_changing();
  changed();
  set_time(model, state, state.time + report.dt);
  ++state.steps;
  if (is_fused(model) && count_ > 0) {
    std::swap(scatter_now_, scatter_next_);
    snow_ = next_snow_;
    const bool has_room = snow_.layers <= scatter_now_.layer_body.room();
    if (!has_room)
      for (Scattered* grid : {&scatter_now_, &scatter_next_}) grid->reserve_layers(snow_.layers + snow_.layers / 4 + 64);
    if (has_room && scatter_now_.layers_of != sorts_) {
      scatter_now_.layers = static_cast<int>(snow_.layers);
      scatter_now_.layers_of = sorts_;
    }
    scattered_ = has_room && snow_.strayed == 0;
    if (snow_.strayed > 0 || snow_.outside > kMostOutside * double(count_)) {
      const bool keeps = scattered_;
      sort_into_blocks(model, count_, nullptr);
      if (keeps) carry_grid(model, state);
    }
  }
  std::vector<Load> loads(model.bodies.size());
  for (std::size_t b = 0; b < loads.size(); ++b) {
    const double* of = loads_of_step_.data() + b * kLoadValues;
    loads[b] = {{of[0], of[1], of[2]}, {of[3], of[4], of[5]}, of[6]};
  }
  report.loads = loads_over(report.dt, loads);
  bricks_.forget_unused();
  double& solve = report.seconds[static_cast<int>(Phase::kSolve)];
  report.seconds[static_cast<int>(Phase::kSort)] = std::exchange(sort_seconds_, 0);
  report.seconds[static_cast<int>(Phase::kGather)] = seconds_since(begin) - report.seconds[static_cast<int>(Phase::kSort)] - solve;
  return report;
}

}  // namespace firn::cuda
