#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "build/bodies.h"
#include "build/build.h"
#include "build/population.h"
#include "core/parallel.h"

namespace firn {
namespace {

constexpr double kFewestCells = 4;  // across a body: fewer cannot bend or break
constexpr double kTouching = 1e-9;  // of h: particles on a surface are not inside
constexpr double kSparse = 2.0;     // particles per cell below which snow falls apart for lack of neighbours

struct Range {
  std::size_t begin, end;
};

std::vector<Range> body_ranges(const Built& built) {
  std::vector<Range> ranges;
  std::size_t at = 0;
  for (const BodySummary& summary : built.snow) {
    ranges.push_back({at, at + summary.particles});
    at += summary.particles;
  }
  return ranges;
}

// The particles of all bodies, those of each in order of x: of many bodies, only the few that come near one another are looked at closely.
class Neighbourhood {
 public:
  Neighbourhood(const Built& built, const std::vector<Range>& ranges) : built_(built), bodies_(ranges.size()) {
    parallel_for(ranges.size(), [&](std::size_t s) {
      Body& body = bodies_[s];
      for (std::size_t i = ranges[s].begin; i < ranges[s].end; ++i) {
        const Vec<double, 3> x = position(i);
        body.by_x.push_back({x[0], i});
        for (int d = 0; d < 3; ++d) {
          body.box.lower[d] = std::min(body.box.lower[d], x[d]);
          body.box.upper[d] = std::max(body.box.upper[d], x[d]);
        }
      }
      std::sort(body.by_x.begin(), body.by_x.end());
    });
  }

  Vec<double, 3> position(std::size_t i) const {
    Vec<double, 3> x{0, 0, 0};
    for (int d = 0; d < built_.model.dimension; ++d) x[d] = built_.particles[i].position(d, built_.model.h);
    return x;
  }

  // How many particles of body s lie in the box and are `inside`, which is asked with a particle's number.
  template <class Inside>
  std::size_t count(std::size_t s, const Bounds& box, Inside inside) const {
    const Body& body = bodies_[s];
    for (int d = 0; d < built_.model.dimension; ++d)
      if (box.lower[d] > body.box.upper[d] || box.upper[d] < body.box.lower[d]) return 0;
    std::size_t found = 0;
    auto at = std::lower_bound(body.by_x.begin(), body.by_x.end(), std::pair<double, std::size_t>{box.lower[0], 0});
    for (; at != body.by_x.end() && at->first <= box.upper[0]; ++at) found += inside(at->second);
    return found;
  }

 private:
  struct Body {
    Bounds box{Vec<double, 3>::filled(std::numeric_limits<double>::infinity()),
               Vec<double, 3>::filled(-std::numeric_limits<double>::infinity())};
    std::vector<std::pair<double, std::size_t>> by_x;
  };

  const Built& built_;
  std::vector<Body> bodies_;
};

// The box around all of a body at time t; a plane's has no end.
Bounds box_around(const BodyModel& body, double t) {
  const double reach = bounding_radius(body, t) + body.cell;
  const Vec<double, 3> center = body.motion.origin + body.motion.at(t).displacement;
  return {center - Vec<double, 3>::filled(reach), center + Vec<double, 3>::filled(reach)};
}

template <int D>
std::size_t count_inside(const Built& built, const Neighbourhood& near, std::size_t s, const BodyModel& model, double t) {
  const Bodies<double, D> bodies = freeze<double, D>(std::vector{model}, t);
  return near.count(s, box_around(model, t), [&](std::size_t i) {
    const LatticePoint<double, D> x = place_of<D>(built.particles[i]);
    return probe(bodies.list.front(), x.cell, x.offset, built.model.h).phi < -kTouching * built.model.h;
  });
}

void check_colliders(const Scene& scene, Built& built, const std::vector<Range>& ranges, const Neighbourhood& near) {
  for (std::size_t s = 0; s < ranges.size(); ++s)
    for (std::size_t c = 0; c < built.model.bodies.size(); ++c) {
      const std::size_t all = ranges[s].end - ranges[s].begin;
      const double t = scene.snow[s].start;
      const std::size_t inside = scene.simulation.dimension == 3 ? count_inside<3>(built, near, s, built.model.bodies[c], t)
                                                                 : count_inside<2>(built, near, s, built.model.bodies[c], t);
      if (inside == all && all > 0)
        throw UserError(scene.snow[s].location,
                        fmt::format("this snow lies wholly inside collider {} ({})", c, to_string(scene.colliders[c].location)));
      if (inside > 0)
        built.warnings.push_back(
            fmt::format("{}: {} of {} particles start inside collider {}", to_string(scene.snow[s].location), inside, all, c));
    }
}

void check_overlaps(const Scene& scene, const std::vector<Form>& forms, Built& built, const Neighbourhood& near) {
  for (std::size_t a = 0; a < forms.size(); ++a) {
    if (scene.snow[a].shape.kind == ShapeKind::kParticles) continue;
    const Bounds own = forms[a].world_box(), box{forms[a].origin + own.lower, forms[a].origin + own.upper};
    for (std::size_t b = 0; b < forms.size(); ++b) {
      if (a == b) continue;
      if (scene.snow[a].start != scene.snow[b].start) continue;                  // the one has moved when the other comes
      if (scene.snow[b].shape.kind != ShapeKind::kParticles && b < a) continue;  // shapes: each pair once
      const std::size_t inside =
          near.count(b, box, [&](std::size_t i) { return forms[a].distance(near.position(i) - forms[a].origin) < 0; });
      if (inside > 0)
        built.warnings.push_back(fmt::format("{}: {} particles lie inside snow {}: overlapping snow starts compressed twice over",
                                             to_string(scene.snow[b].location), inside, a));
    }
  }
}

void check_resolution(const Scene& scene, Built& built, const std::vector<Range>& ranges) {
  const double h = built.model.h;
  for (std::size_t s = 0; s < ranges.size(); ++s) {
    if (ranges[s].begin == ranges[s].end) continue;  // the window has yet to reach it
    double narrowest = 1e300;
    for (int d = 0; d < scene.simulation.dimension; ++d) {
      double lower = 1e300, upper = -1e300;
      for (std::size_t i = ranges[s].begin; i < ranges[s].end; ++i) {
        lower = std::min(lower, built.particles[i].position(d, h));
        upper = std::max(upper, built.particles[i].position(d, h));
      }
      narrowest = std::min(narrowest, (upper - lower) / h);
    }
    // The outermost particles stand for snow that reaches half their distance further.
    if (narrowest > 0 && scene.snow[s].shape.kind != ShapeKind::kParticles)
      narrowest += std::pow(scene.snow[s].particles_per_cell, -1.0 / scene.simulation.dimension);
    const std::string where = to_string(scene.snow[s].location);
    if (narrowest == 0)
      built.warnings.push_back(fmt::format("{}: its particles lie on a line or plane: snow without thickness cannot pack", where));
    else if (narrowest < kFewestCells && !built.model.limits_density())
      built.warnings.push_back(fmt::format("{}: only {:.1f} cells across at its narrowest; use a spacing below {:.2g} for at least {:.0f}",
                                           where, narrowest, h * narrowest / kFewestCells, kFewestCells));
    if (scene.snow[s].shape.kind != ShapeKind::kParticles && scene.snow[s].particles_per_cell < kSparse)
      built.warnings.push_back(
          fmt::format("{}: particles_per_cell = {} is sparse; 4 to 10 hold together", where, scene.snow[s].particles_per_cell));
  }
}

void check_sources(const Scene& scene, Built& built) {
  for (std::size_t s = 0; s < scene.sources.size(); ++s) {
    const Source& source = scene.sources[s];
    const Form& form = built.population.emitters()[s].form();
    const double density = scene.materials[material_index(scene, source.material)].density;
    const double most = density * form.content / time_to_clear(scene, source, form);
    if (source.rate > most)
      built.warnings.push_back(
          fmt::format("{}: rate = {}: velocity and gravity carry away about {:.3g} kg/s of fresh snow, the rest will be "
                      "squeezed; use a lower rate, a higher velocity or a larger shape",
                      to_string(source.location), source.rate, most));
  }
}

void check_domain(const Scene& scene, Built& built, const std::vector<Range>& ranges) {
  if (!scene.domain) return;
  const double h = built.model.h;
  for (std::size_t s = 0; s < ranges.size(); ++s) {
    std::size_t outside = 0;
    for (std::size_t i = ranges[s].begin; i < ranges[s].end; ++i) {
      bool inside = true;
      for (int d = 0; d < scene.simulation.dimension; ++d) {
        const double x = built.particles[i].position(d, h);
        inside = inside && x >= scene.domain->lower[d] - kTouching * h && x <= scene.domain->upper[d] + kTouching * h;
      }
      outside += !inside;
    }
    if (outside > 0)
      built.warnings.push_back(fmt::format("{}: {} of {} particles start outside the domain and leave at once",
                                           to_string(scene.snow[s].location), outside, ranges[s].end - ranges[s].begin));
  }
}

void check_starts(const Scene& scene, Built& built) {
  for (const Snow& snow : scene.snow)
    if (snow.start > scene.simulation.duration)
      built.warnings.push_back(fmt::format("{}: start = {}: the run is over by then, it lasts {} s", to_string(snow.location), snow.start,
                                           scene.simulation.duration));
}

}  // namespace

void check_bodies(const Scene& scene, const std::vector<Form>& forms, Built& built) {
  const std::vector<Range> ranges = body_ranges(built);
  const Neighbourhood near(built, ranges);
  check_colliders(scene, built, ranges, near);
  check_overlaps(scene, forms, built, near);
  check_resolution(scene, built, ranges);
  check_sources(scene, built);
  check_domain(scene, built, ranges);
  check_starts(scene, built);
}

namespace {

constexpr double kEarth = 9.81;            // m/s²
constexpr double kMostGravity = 100;       // m/s²; Jupiter has 25
constexpr double kSoftest = 1e3;           // Pa; the softest snow that is measured has 1e4
constexpr double kStiffest = 2e10;         // Pa; ice has 9e9
constexpr double kLightest = 10;           // kg/m³; the loosest new snow has 20
constexpr double kHeaviest = 2000;         // kg/m³; ice has 917
constexpr double kMostHardening = 2;       // of (xi + ln L) theta_c: beyond it packing stores more than it takes
constexpr double kLargestBall = 5;         // m, radius
constexpr double kOddRatio = 50;           // of a file's size to all else: centimetres for metres make 100
constexpr double kRoughestDistance = 0.1;  // of the distance between particles, that positions in a file may be apart

double longest(const Vec<double, 3>& size) { return std::max({size[0], size[1], size[2]}); }

const Location& first_snow(const Scene& scene) { return scene.snow.empty() ? scene.sources.front().location : scene.snow.front().location; }

void check_gravity(const Scene& scene, std::vector<std::string>& warnings) {
  const double g = norm(to_vec(scene.simulation.gravity));
  if (g > kMostGravity)
    warnings.push_back(fmt::format("{}: simulation.gravity is {:.4g} m/s², {:.3g} times the earth's; the unit is m/s², the earth's is {}",
                                   first_snow(scene).file, g, g / kEarth, kEarth));
}

void check_materials(const Scene& scene, std::vector<std::string>& warnings) {
  for (const Material& m : scene.materials) {
    const Location* where = first_use(scene, m.name);
    if (where == nullptr) continue;
    const auto warn = [&](const char* key, double value, const char* why) {
      warnings.push_back(fmt::format("{}: its material \"{}\" has {} = {:.4g}: {}", to_string(*where), m.name, key, value, why));
    };
    if (m.young_modulus < kSoftest)
      warn("young_modulus", m.young_modulus, "far softer than any snow, which has 1e4 to 1e7; the unit is Pa, not kPa");
    if (m.young_modulus > kStiffest) warn("young_modulus", m.young_modulus, "stiffer than ice, which has 9e9; the unit is Pa");
    if (m.density < kLightest) warn("density", m.density, "lighter than any snow, which has 20 to 900; the unit is kg/m³, not g/cm³");
    if (m.density > kHeaviest) warn("density", m.density, "heavier than ice, which has 917; the unit is kg/m³");
    if (const double made = (m.hardening + std::log(m.hardening_limit)) * m.critical_compression; made > kMostHardening)
      warn("(hardening + ln hardening_limit) × critical_compression", made,
           "above 2 snow would gain energy when it is packed; what it cannot afford is taken from it, and it rebounds like rubber");
    const double coarser = scene.simulation.spacing / scene.solver.reference_spacing.value_or(scene.simulation.spacing);
    if (!m.softening && m.hardening * coarser > std::max(m.hardening, steepest_softening(m)))
      warn("softening", default_softening(scene, m),
           "for reference_spacing it would be more than a crack of one cell can follow; use a smaller spacing or a larger "
           "reference_spacing");
  }
}

void check_balls(const Scene& scene, std::vector<std::string>& warnings) {
  for (const Snow& snow : scene.snow)
    if (snow.shape.kind == ShapeKind::kSphere && snow.shape.radius >= kLargestBall)
      warnings.push_back(fmt::format("{}: a snowball {:.4g} m across; the unit is m, a ball that is thrown has radius = 0.04",
                                     to_string(snow.location), 2 * snow.shape.radius));
}

// What has a size, and which of it comes from a file whose unit nobody knows.
struct Sized {
  const Shape* shape;
  const Location* where;
  double size;  // m
};

std::vector<Sized> sized_bodies(const Scene& scene, const std::vector<Form>& forms, const Built& built) {
  std::vector<Sized> all;
  for (std::size_t s = 0; s < scene.snow.size(); ++s)
    if (scene.snow[s].shape.kind != ShapeKind::kParticles)
      all.push_back({&scene.snow[s].shape, &scene.snow[s].location, longest(forms[s].upper - forms[s].lower)});
  for (std::size_t c = 0; c < scene.colliders.size(); ++c)
    all.push_back(
        {&scene.colliders[c].shape, &scene.colliders[c].location, longest(built.model.bodies[c].upper - built.model.bodies[c].lower)});
  std::erase_if(all, [](const Sized& body) { return !(body.size > 0); });  // planes
  return all;
}

void check_files(const std::vector<Sized>& bodies, std::vector<std::string>& warnings) {
  for (const Sized& body : bodies) {
    const ShapeKind kind = body.shape->kind;
    if (kind != ShapeKind::kMesh && kind != ShapeKind::kVolume && kind != ShapeKind::kSequence) continue;
    double others = 0;
    for (const Sized& other : bodies)
      if (&other != &body) others = std::max(others, other.size);
    if (others == 0 || body.size < kOddRatio * others) continue;
    warnings.push_back(
        fmt::format("{}: {} is {:.3g} m across, {:.3g} times all other bodies; if its unit is not the metre, give scale "
                    "(centimetres: scale = 0.01, millimetres: scale = 0.001)",
                    to_string(*body.where), std::filesystem::path(body.shape->file).filename().string(), body.size, body.size / others));
  }
}

// m; of sampled snow, on average. Files have their own.
double particle_distance(const Scene& scene, double particles_per_cell) {
  return scene.simulation.spacing * std::pow(particles_per_cell, -1.0 / scene.simulation.dimension);
}

// How far floats are apart at a coordinate.
double float_gap(double x) {
  const float nearest = static_cast<float>(x);
  return static_cast<double>(std::nextafter(nearest, std::numeric_limits<float>::infinity())) - static_cast<double>(nearest);
}

// Looks at where snow is at the start, and where the window takes it.
void check_distance(const Scene& scene, Built& built) {
  double farthest = 0, distance = std::numeric_limits<double>::infinity();
  const auto reach = [&](double x) { farthest = std::max(farthest, std::abs(x)); };
  for (const ParticleRow& row : built.particles)
    for (int d = 0; d < built.model.dimension; ++d) reach(row.position(d, built.model.h));
  for (const Emitter& emitter : built.population.emitters())
    for (int d = 0; d < built.model.dimension; ++d) reach(emitter.form().origin[d]);
  if (built.model.window) reach(farthest + norm(built.model.window->motion.at(scene.simulation.duration).displacement));
  for (const Snow& snow : scene.snow) distance = std::min(distance, particle_distance(scene, snow.particles_per_cell));
  for (const Source& source : scene.sources) distance = std::min(distance, particle_distance(scene, source.particles_per_cell));
  const double gap = float_gap(farthest);
  built.double_frames = gap > kRoughestDistance * distance;
  if (!built.double_frames || scene.solver.precision == Precision::kDouble) return;
  const std::vector<std::string>& formats = scene.output.formats;
  const bool has_bgeo = std::find(formats.begin(), formats.end(), "bgeo") != formats.end();
  built.warnings.push_back(fmt::format(
      "{}: snow {:.4g} m from the origin: floats there are {:.2g} m apart, particles {:.2g} m; frames are written in double precision{}; "
      "bring the scene nearer to the origin",
      to_string(first_snow(scene)), farthest, gap, distance, has_bgeo ? " (bgeo files cannot be, theirs share places)" : ""));
}

}  // namespace

void check_units(const Scene& scene, const std::vector<Form>& forms, Built& built) {
  check_gravity(scene, built.warnings);
  check_materials(scene, built.warnings);
  check_balls(scene, built.warnings);
  check_files(sized_bodies(scene, forms, built), built.warnings);
  check_distance(scene, built);
}

}  // namespace firn
