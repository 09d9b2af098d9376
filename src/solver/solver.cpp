#include "solver/solver.h"

#include <algorithm>
#include <limits>

#include "core/parallel.h"
#include "firn/error.h"
#include "math/bspline.h"
#include "solver/cpu/cpu_solver.h"
#include "solver/cuda/cuda_solver.h"
#include "solver/reference/reference.h"

namespace firn {
namespace {

template <class T, int D, class Kernel>
std::unique_ptr<Solver> make_cpu(const Model& model, int threads) {
  if (model.solver.transfer == Transfer::kApic) return std::make_unique<cpu::CpuSolver<T, D, Kernel, true>>(threads);
  return std::make_unique<cpu::CpuSolver<T, D, Kernel, false>>(threads);
}

#ifdef FIRN_ALL_VARIANTS
template <class T, int D>
std::unique_ptr<Solver> choose_kernel(const Model& model, int threads) {
  if (model.solver.kernel == Kernel::kCubic) return make_cpu<T, D, CubicKernel>(model, threads);
  return make_cpu<T, D, QuadraticKernel>(model, threads);
}

template <class T>
std::unique_ptr<Solver> choose_dimension(const Model& model, int threads) {
  return model.dimension == 3 ? choose_kernel<T, 3>(model, threads) : choose_kernel<T, 2>(model, threads);
}

std::unique_ptr<Solver> make_cpu_solver(const Model& model, int threads) {
  if (model.solver.precision == Precision::kFloat) return choose_dimension<float>(model, threads);
  return choose_dimension<double>(model, threads);
}
#else
std::unique_ptr<Solver> make_cpu_solver(const Model& model, int threads) {
  const SolverSettings& s = model.solver;
  if (model.dimension != 3 || s.precision != Precision::kFloat || s.kernel != Kernel::kCubic)
    throw UserError("this build of firn has only the 3D, float, cubic CPU solver; `make build` adds the rest (FIRN_ALL_VARIANTS=ON)");
  return make_cpu<float, 3, CubicKernel>(model, threads);
}
#endif

}  // namespace

std::vector<BodyLoad> loads_over(double dt, const std::vector<Load>& loads) {
  std::vector<BodyLoad> over;
  over.reserve(loads.size());
  for (const Load& load : loads) over.push_back({to_array(dt * load.force), to_array(dt * load.torque), dt * load.power});
  return over;
}

void check_ids_left(const State& state, std::size_t more) {
  constexpr std::size_t kMostIds = std::numeric_limits<std::uint32_t>::max();  // they have 32 bits, and one number means none
  if (more > kMostIds - state.next_id) throw RunError("more than four thousand million particles have come in: there are no ids left");
}

GridFields in_node_order(const Model& model, const std::vector<GridFields>& parts) {
  struct Place {
    std::array<std::int32_t, 3> node;
    std::size_t part, at;
    bool operator<(const Place& other) const { return node < other.node; }
  };
  std::vector<Place> places;
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::size_t i = 0; i < parts[p].size(); ++i) places.push_back({parts[p].node[i], p, i});
  parallel_sort(places.begin(), places.end());
  GridFields all;
  all.spacing = model.h;
  for (const Place& place : places) {
    const GridFields& from = parts[place.part];
    all.node.push_back(place.node);
    all.mass.push_back(from.mass[place.at]);
    all.velocity.push_back(from.velocity[place.at]);
    all.force.push_back(from.force[place.at]);
  }
  return all;
}

void set_time(const Model& model, State& state, double time) {
  state.time = time;
  state.poses = poses_at(model.bodies, time);
}

const char* name_of(Backend backend) {
  switch (backend) {
    case Backend::kCpu: return "cpu";
    case Backend::kReference: return "reference";
    case Backend::kCuda: return "cuda";
  }
  return "";
}

std::unique_ptr<Solver> make_solver(const Model& model, Backend backend, int threads) {
  switch (backend) {
    case Backend::kReference: return make_reference_solver(model);
    case Backend::kCuda: return make_cuda_solver(model);
    case Backend::kCpu: break;
  }
  return make_cpu_solver(model, threads);
}

namespace {

constexpr std::size_t kChunk = 8192;  // fixed, so that the order of the sums does not depend on threads
constexpr double kDensest = 2 * 917;  // kg/m³: twice as dense as ice
constexpr double kSqueezed = 0.5;     // of its first volume

// What Statistics are made of, of no particle yet.
struct Sums {
  static constexpr double kFar = std::numeric_limits<double>::infinity();

  double mass = 0;
  Vec<double, 3> momentum{0, 0, 0}, angular{0, 0, 0};
  double kinetic = 0, elastic = 0;
  double J_P_min = kFar, J_P_max = -kFar, J_P_sum = 0;
  double packed = 0;  // kg
  Vec<double, 3> lower{kFar, kFar, kFar}, upper{-kFar, -kFar, -kFar};
  std::int64_t inside = 0, squeezed = 0;
};

// Those that may have one of these particles deeper inside than a cell: of many bodies few are near.
template <int D>
std::vector<Body<double, D>> bodies_around(const Bodies<double, D>& bodies, const ParticleTable& rows, double h) {
  Vec<double, D> lower = Vec<double, D>::filled(Sums::kFar), upper = -lower;  // in cells
  for (const ParticleRow& row : rows)
    for (int d = 0; d < D; ++d) {
      lower[d] = std::min<double>(lower[d], row.cell[d]);
      upper[d] = std::max<double>(upper[d], row.cell[d] + 1.0);
    }
  const Cell<D> first = convert_vec<std::int32_t, D>(lower);
  const Vec<double, D> half = 0.5 * (upper - lower);
  std::vector<Body<double, D>> near;
  for (const Body<double, D>& body : bodies.list)
    if (probe(body, first, half, h).phi <= 1.01 * norm(half) * h - h) near.push_back(body);
  return near;
}

// More than a cell inside one of them.
template <int D>
bool is_inside(const std::vector<Body<double, D>>& bodies, const ParticleRow& row, double h) {
  const LatticePoint<double, D> x = place_of<D>(row);
  return std::any_of(bodies.begin(), bodies.end(), [&](const Body<double, D>& body) { return probe(body, x.cell, x.offset, h).phi < -h; });
}

bool is_squeezed(const ParticleRow& row) {
  const double J = elastic_volume(row) * row.J_P;
  return J < kSqueezed && row.mass > kDensest * row.volume * J;
}

template <int D>
double elastic_energy(const Model& model, const ParticleRow& row) {
  Mat<double, D> F_E;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) F_E(i, j) = row.F_E[3 * i + j];
  return row.volume * energy_density(F_E, polar(F_E).R, hardened(snow_parameters(model, row.material, row.own), row.J_P));
}

template <int D>
void add(const Model& model, const std::vector<Body<double, D>>& bodies, const ParticleRow& row, Sums& s) {
  const Vec<double, 3> v{row.velocity[0], row.velocity[1], row.velocity[2]};
  const Vec<double, 3> x{row.position(0, model.h), row.position(1, model.h), row.position(2, model.h)};
  s.mass += row.mass;
  s.momentum += row.mass * v;
  s.angular += row.mass * cross(x, v);
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    s.angular[a] += row.mass * (row.B[3 * c + b] - row.B[3 * b + c]);
    s.lower[a] = std::min(s.lower[a], x[a]);
    s.upper[a] = std::max(s.upper[a], x[a]);
  }
  s.kinetic += 0.5 * row.mass * dot(v, v);
  s.elastic += elastic_energy<D>(model, row);
  s.J_P_min = std::min(s.J_P_min, row.J_P);
  s.J_P_max = std::max(s.J_P_max, row.J_P);
  s.J_P_sum += row.J_P;
  if (row.J_P < 1) s.packed += row.mass;
  s.inside += is_inside(bodies, row, model.h);
  s.squeezed += is_squeezed(row);
}

void merge(const Sums& from, Sums& to) {
  to.mass += from.mass;
  to.momentum += from.momentum;
  to.angular += from.angular;
  to.kinetic += from.kinetic;
  to.elastic += from.elastic;
  to.J_P_min = std::min(to.J_P_min, from.J_P_min);
  to.J_P_max = std::max(to.J_P_max, from.J_P_max);
  to.J_P_sum += from.J_P_sum;
  to.packed += from.packed;
  to.inside += from.inside;
  to.squeezed += from.squeezed;
  for (int a = 0; a < 3; ++a) {
    to.lower[a] = std::min(to.lower[a], from.lower[a]);
    to.upper[a] = std::max(to.upper[a], from.upper[a]);
  }
}

Statistics statistics_of(const Sums& s, double particles) {
  return {s.mass,    to_array(s.momentum),  to_array(s.angular), s.kinetic,         s.elastic,         s.J_P_min,
          s.J_P_max, s.J_P_sum / particles, s.packed / s.mass,   to_array(s.lower), to_array(s.upper), s.inside,
          s.squeezed};
}

template <int D>
Statistics sum_up_in(const Model& model, const Solver& solver, const State& state) {
  const Bodies<double, D> bodies = freeze<double, D>(model.bodies, state.poses, state.time);
  const std::size_t ids = state.next_id;
  std::vector<Sums> partial((ids + kChunk - 1) / kChunk);
  parallel_for(partial.size(), [&](std::size_t c) {
    const ParticleTable rows = solver.rows(model, state, c * kChunk, std::min(ids, (c + 1) * kChunk));
    if (rows.empty()) return;
    const std::vector<Body<double, D>> near = bodies_around(bodies, rows, model.h);
    for (const ParticleRow& row : rows) add(model, near, row, partial[c]);
  });
  Sums sum;
  for (const Sums& s : partial) merge(s, sum);
  return statistics_of(sum, static_cast<double>(state.particle_count));
}

}  // namespace

Statistics sum_up(const Model& model, const Solver& solver, const State& state) {
  if (state.particle_count == 0) return {.jp_min = 0, .jp_max = 0, .jp_mean = 0};
  return model.dimension == 3 ? sum_up_in<3>(model, solver, state) : sum_up_in<2>(model, solver, state);
}

}  // namespace firn
