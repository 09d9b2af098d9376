#include "scene/scene_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/parallel.h"
#include "scene/bodies.h"
#include "scene/flow.h"

namespace firn {
namespace {

constexpr double kFewestCells = 4;      // across a body: fewer cannot bend or break
constexpr double kTouching = 1e-9;      // of h: particles on a surface are not inside
constexpr double kSparse = 2.0;         // particles per cell below which snow falls apart for lack of neighbours

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
    Bounds box{Vec<double, 3>::filled(std::numeric_limits<double>::infinity()), Vec<double, 3>::filled(-std::numeric_limits<double>::infinity())};
    std::vector<std::pair<double, std::size_t>> by_x;
  };

  const Built& built_;
  std::vector<Body> bodies_;
};

// Around all of a body at time t; a plane's has no end.
Bounds box_around(const BodyModel& body, double t) {
  const double reach = bounding_radius(body, t) + body.cell;
  const Vec<double, 3> center = body.motion.origin + body.motion.at(t).displacement;
  return {center - Vec<double, 3>::filled(reach), center + Vec<double, 3>::filled(reach)};
}

template <int D>
std::size_t count_inside(const Built& built, const Neighbourhood& near, std::size_t s, const BodyModel& model, double t) {
  const Bodies<double, D> bodies = freeze<double, D>(std::vector{model}, t);
  return near.count(s, box_around(model, t), [&](std::size_t i) {
    const ParticleRow& row = built.particles[i];
    Cell<D> cell;
    Vec<double, D> offset;
    for (int d = 0; d < D; ++d) {
      cell[d] = row.cell[d];
      offset[d] = row.offset[d];
    }
    return probe(bodies.list.front(), cell, offset, built.model.h).phi < -kTouching * built.model.h;
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
      if (scene.snow[a].start != scene.snow[b].start) continue;  // the one has moved when the other comes
      if (scene.snow[b].shape.kind != ShapeKind::kParticles && b < a) continue;  // shapes: each pair once
      const std::size_t inside = near.count(b, box, [&](std::size_t i) { return forms[a].distance(near.position(i) - forms[a].origin) < 0; });
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
    else if (narrowest < kFewestCells)
      built.warnings.push_back(fmt::format("{}: only {:.1f} cells across at its narrowest; use a spacing below {:.2g} for at least {:.0f}",
                                           where, narrowest, h * narrowest / kFewestCells, kFewestCells));
    if (scene.snow[s].shape.kind != ShapeKind::kParticles && scene.snow[s].particles_per_cell < kSparse)
      built.warnings.push_back(fmt::format("{}: particles_per_cell = {} is sparse; 4 to 10 hold together", where,
                                           scene.snow[s].particles_per_cell));
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

}  // namespace firn
