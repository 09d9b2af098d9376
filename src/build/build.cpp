#include "build/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "build/bodies.h"
#include "build/population.h"
#include "build/snow.h"
#include "core/memory.h"
#include "grid/block.h"
#include "io/particle_files.h"
#include "solver/outflow.h"

namespace firn {
namespace {

void refuse_beyond_memory(const Scene& scene, double particles, const GridSize& grid, bool varied) {
  const double need = estimate_bytes(scene, particles, grid, varied), have = available_memory();
  constexpr double kMostParticles = std::numeric_limits<std::uint32_t>::max();  // ids are 32 bits
  if (need <= have && particles < kMostParticles) return;
  throw UserError(
      scene.simulation.spacing_location,
      fmt::format("spacing = {}: about {:.3g} particles need {:.3g} GB, this machine has {:.3g} GB free; use a larger spacing or "
                  "smaller bodies",
                  scene.simulation.spacing, particles, need / 1e9, have / 1e9));
}

// Before anything is sampled: from what the shapes hold, or the window where that is less.
void check_contents(const Scene& scene, const Forms& forms, const Model& model) {
  double window = std::numeric_limits<double>::infinity();  // cells
  if (model.window) {
    const CellBox<3> box = window_cells(model, 0);
    window = 1;
    for (int d = 0; d < model.dimension; ++d) window *= static_cast<double>(box.upper[d]) - box.lower[d];
  }
  const double cell = std::pow(model.h, model.dimension);
  double particles = 0;
  for (std::size_t s = 0; s < forms.snow.size(); ++s)
    particles += std::min(forms.snow[s].content / cell, window) * scene.snow[s].particles_per_cell;
  for (std::size_t s = 0; s < forms.sources.size(); ++s) particles += forms.sources[s].content / cell * scene.sources[s].particles_per_cell;
  refuse_beyond_memory(scene, particles, {}, is_varied(scene));
}

// Makes the shapes of snow and sources, except those that hold more than there can be memory for.
class FormMaker {
 public:
  FormMaker(const Scene& scene, std::vector<std::string>& warnings, const SetupProgress& setup)
      : scene_(scene), warnings_(warnings), setup_(setup) {
    const double nothing = estimate_bytes(scene, 0, {}, is_varied(scene)),
                 each = estimate_bytes(scene, 1e6, {}, is_varied(scene)) - nothing;
    most_particles_ = scene.window ? std::numeric_limits<double>::infinity() : 1e6 * (available_memory() - nothing) / each;
  }

  // `name` of the snow or source: "snow 0".
  Form make(const std::string& name, const Shape& shape, const Location& where, double particles_per_cell) {
    const double per_volume = particles_per_cell / std::pow(scene_.simulation.spacing, scene_.simulation.dimension);
    if (const std::string work = work_on(shape); setup_ && !work.empty()) setup_(fmt::format("{}: {}", name, work));
    try {
      return make_form_at(shape, scene_, where, warnings_, most_particles_ / per_volume);
    } catch (const TooMuchContent& much) {
      refuse_beyond_memory(scene_, much.content * per_volume, {}, is_varied(scene_));
      throw UserError(where, fmt::format("the shape holds {:.3g} m³, which is more than this machine has memory for", much.content));
    }
  }

 private:
  const Scene& scene_;
  std::vector<std::string>& warnings_;
  const SetupProgress& setup_;
  double most_particles_;
};

Forms make_forms(const Scene& scene, std::vector<std::string>& warnings, const SetupProgress& setup) {
  Forms forms;
  FormMaker maker(scene, warnings, setup);
  for (std::size_t s = 0; s < scene.snow.size(); ++s) {
    const Snow& snow = scene.snow[s];
    forms.snow.push_back(snow.shape.kind == ShapeKind::kParticles
                             ? Form{}
                             : maker.make(fmt::format("snow {}", s), snow.shape, snow.location, snow.particles_per_cell));
  }
  for (std::size_t s = 0; s < scene.sources.size(); ++s) {
    const Source& source = scene.sources[s];
    forms.sources.push_back(maker.make(fmt::format("source {}", s), source.shape, source.location, source.particles_per_cell));
  }
  return forms;
}

// A body's particles before they become rows of the table: points of a shape, or a file.
struct BodyPoints {
  std::vector<LatticePoint<double, 3>> points;
  Frame frame;

  std::size_t size() const { return points.size() + frame.size(); }
};

Frame read_frame(const Snow& snow) {
  try {
    const std::string& file = snow.shape.file;
    return file.ends_with(".obj") || file.ends_with(".OBJ") ? read_obj_points(file) : read_ply(file);
  } catch (const UserError& e) {
    throw UserError(snow.location, e.what());
  }
}

std::vector<LatticePoint<double, 3>> whole_shape(const Scene& scene, const Snow& snow, const Form& form) {
  auto points = sample_form(form, snow, scene.simulation.spacing);
  if (points.empty())
    throw UserError(snow.location, "this snow has no particles: it is much smaller than a grid cell; use a smaller simulation.spacing");
  return points;
}

std::vector<BodyPoints> read_points(const Scene& scene, const std::vector<Form>& forms, Built& built, const SetupProgress& setup) {
  std::vector<BodyPoints> bodies(scene.snow.size());
  for (std::size_t s = 0; s < bodies.size(); ++s) {
    const Snow& snow = scene.snow[s];
    if (setup) setup(fmt::format("snow {}: {}", s, snow.shape.kind == ShapeKind::kParticles ? "reading particles" : "sampling"));
    if (snow.shape.kind == ShapeKind::kParticles) {
      bodies[s].frame = read_frame(snow);
    } else if (!scene.window) {
      bodies[s].points = whole_shape(scene, snow, forms[s]);
    } else if (snow.sampling == Sampling::kPoisson) {
      throw UserError(snow.location,
                      "sampling = \"poisson\" and [window] exclude each other: its points cannot be made piece by piece, use \"jittered\"");
    } else if (snow.initial_volume == InitialVolume::kGrid) {
      throw UserError(snow.location,
                      "initial_volume = \"grid\" and [window] exclude each other: the grid does not know the snow to come, use \"shape\"");
    }
  }
  if (!scene.window) return bodies;
  auto in_window = enter_window(scene.snow, forms, built.model, 0, built.population_state.window);
  for (std::size_t s = 0; s < bodies.size(); ++s) bodies[s].points = std::move(in_window[s]);
  return bodies;
}

// Particles of a sampled shape: each has the same part of the volume, so that a uniform body weighs density × volume. On a regular lattice
// it is a cell of that. Where a window cuts the shape, every particle is as that of the next piece will be.
void add_shape(const Scene& scene, const Snow& snow, const Form& form, const BodyPoints& body, ParticleTable& table) {
  const double share =
      snow.sampling == Sampling::kRegular ? particle_volume(scene, snow) : form.content / static_cast<double>(body.points.size());
  const RowMaker rows = scene.window ? fresh_rows(scene, snow, form) : RowMaker(scene, snow, form, share);
  for (const LatticePoint<double, 3>& x : body.points) table.push_back(rows.at(x));
}

// Adds the particles of a file that are in the window. Of a file that comes later, all: what is not in the window then will leave at once.
void add_file(const Scene& scene, const Snow& snow, const Frame& frame, Built& built) {
  const std::size_t before = built.particles.size();
  add_particles(scene, snow, frame, built.particles);
  built.model.varied |= has_variation(frame);
  if (!scene.window || snow.start > 0) return;
  const CellBox<3> window = window_cells(built.model, 0);
  const auto outside = [&](const ParticleRow& row) { return !window.contains({row.cell[0], row.cell[1], row.cell[2]}); };
  built.particles.remove_if(before, outside);
}

void add_snow(const Scene& scene, const std::vector<Form>& forms, Built& built, const SetupProgress& setup) {
  std::vector<BodyPoints> bodies = read_points(scene, forms, built, setup);
  std::size_t total = 0;
  for (const BodyPoints& body : bodies) total += body.size();
  built.particles.reserve(total);  // rows are large: growing by copies would double the peak
  for (std::size_t s = 0; s < scene.snow.size(); ++s) {
    const Snow& snow = scene.snow[s];
    const std::size_t before = built.particles.size();
    if (snow.shape.kind == ShapeKind::kParticles) {
      add_file(scene, snow, bodies[s].frame, built);
    } else {
      add_shape(scene, snow, forms[s], bodies[s], built.particles);
    }
    bodies[s] = {};
    BodySummary summary{built.particles.size() - before, 0, forms[s].content, snow.start};
    for (std::size_t i = before; i < built.particles.size(); ++i) summary.mass += built.particles[i].mass;
    built.snow.push_back(summary);
  }
}

// Snow that comes later waits outside.
void take_out_late(Built& built) {
  if (std::none_of(built.snow.begin(), built.snow.end(), [](const BodySummary& body) { return body.start > 0; })) return;
  const ParticleTable all = std::move(built.particles);
  built.particles.clear();
  std::size_t at = 0;
  for (const BodySummary& body : built.snow) {
    LateSnow late{body.start, {}};
    ParticleTable& to = body.start > 0 ? late.rows : built.particles;
    for (const std::size_t end = at + body.particles; at < end; ++at) to.push_back(all[at]);
    if (body.start > 0) built.population.add(std::move(late));
  }
}

// The lowest and the highest of some cells.
struct Extent {
  Cell<3> lowest = Cell<3>::filled(std::numeric_limits<std::int32_t>::max()),
          highest = Cell<3>::filled(std::numeric_limits<std::int32_t>::min());

  template <class C>
  void add(const C& cell) {
    for (int d = 0; d < 3; ++d) {
      lowest[d] = std::min(lowest[d], cell[d]);
      highest[d] = std::max(highest[d], cell[d]);
    }
  }
};

double lightest_particle(const Scene& scene, const Built& built) {
  double lightest = std::numeric_limits<double>::max();
  for (const ParticleRow& row : built.particles) lightest = std::min(lightest, row.mass);
  for (const Emitter& emitter : built.population.emitters()) lightest = std::min(lightest, emitter.particle_mass());
  if (!scene.window) return lightest;
  for (const Snow& snow : scene.snow) lightest = std::min(lightest, lightest_fresh(scene, snow));
  return lightest;
}

constexpr std::int64_t kFarthest = std::int64_t(kMaxBlock<3> - 2) * BlockShape<3>::kEdge / 2;  // cells; as many are left to fly apart

// A window takes the snow along, away from where blocks are counted from.
void check_window_travel(const Scene& scene, const Model& model) {
  if (!model.window) return;
  std::vector<double> times{scene.simulation.duration};
  for (const PoseKey& key : model.window->motion.keys) times.push_back(std::min(key.t, scene.simulation.duration));
  for (const double t : times) {
    const double cells = norm(model.window->motion.at(t).displacement) / model.h;
    if (cells > static_cast<double>(kFarthest))
      throw UserError(
          scene.window->location,
          fmt::format("the window travels {:.3g} cells, at most {} are allowed; use a larger spacing or a shorter run", cells, kFarthest));
  }
}

void finish_model(const Scene& scene, Built& built) {
  check_window_travel(scene, built.model);
  Extent extent;
  for (const ParticleRow& row : built.particles) extent.add(row.cell);
  const bool starts_empty = built.particles.empty();
  if (!scene.window && !starts_empty) built.model.origin = extent.lowest;
  for (const Emitter& emitter : built.population.emitters())
    for (const LatticePoint<double, 3>& x : emitter.points()) extent.add(x.cell);
  if (!scene.window && starts_empty) built.model.origin = extent.lowest;
  built.model.mass_floor = kMassFloor * lightest_particle(scene, built);
  if (built.model.limits_density()) built.model.critical_density = critical_density(scene, built);
  const Location& where = scene.sources.empty() ? scene.snow.back().location : scene.sources.back().location;
  for (int d = 0; d < 3; ++d)
    if (std::int64_t(extent.highest[d]) - extent.lowest[d] > kFarthest)
      throw UserError(where, fmt::format("particles lie {} cells apart, at most {} are allowed; use a larger spacing or bring the bodies "
                                         "closer together",
                                         std::int64_t(extent.highest[d]) - extent.lowest[d], kFarthest));
}

// Long enough for waves to cross some cells.
double contact_memory(const Scene& scene) {
  constexpr double kCells = 20;
  double memory = kShortestContactMemory;
  for (const Material& m : scene.materials) {
    const Lame<double> lame = lame_from_young(m.young_modulus, m.poisson_ratio);
    const double wave = std::sqrt((lame.lambda + 2 * lame.mu) / m.density);
    if (first_use(scene, m.name)) memory = std::max(memory, kCells * scene.simulation.spacing / wave);
  }
  return memory;
}

Model make_model(const Scene& scene, std::vector<std::string>& warnings, const SetupProgress& setup) {
  Model model;
  model.dimension = scene.simulation.dimension;
  model.h = scene.simulation.spacing;
  model.gravity = to_vec(scene.simulation.gravity);
  model.solver = in_effect(scene.solver);
  model.reference_h = scene.solver.reference_spacing.value_or(model.h);
  for (const Material& material : scene.materials) {
    model.materials.push_back(snow_parameters(material, default_softening(scene, material)));
    model.common.push_back(as_material(material));
  }
  model.contact_memory = contact_memory(scene);
  model.bodies = make_bodies(scene, warnings, setup);
  model.varied = is_varied(scene);
  add_outflow(scene, model, warnings);
  return model;
}

}  // namespace

double particles_at_most(const Scene& scene, const Built& built) {
  const bool some_go = !scene.sinks.empty() || scene.domain || scene.window;
  double particles = static_cast<double>(built.particles.size());
  for (const LateSnow& late : built.population.late()) particles += static_cast<double>(late.rows.size());
  return particles + (some_go ? 0 : particles_to_come(scene, built.population));
}

Built build(const Scene& scene, const SetupProgress& setup) {
  Built built;
  const Forms forms = make_forms(scene, built.warnings, setup);
  built.model = make_model(scene, built.warnings, setup);
  check_contents(scene, forms, built.model);
  add_inflows(scene, forms, built.model);
  built.population = Population(scene, forms);
  add_snow(scene, forms.snow, built, setup);
  finish_model(scene, built);
  built.grid = count_blocks(built.model, built.particles);
  refuse_beyond_memory(scene, particles_at_most(scene, built), built.grid, built.model.varied);
  if (setup) setup("looking for snow inside bodies");
  check_bodies(scene, forms.snow, built);
  check_units(scene, forms.snow, built);
  if (built.model.limits_density()) check_unused_keys(scene, built.warnings);
  take_out_late(built);
  return built;
}

}  // namespace firn
