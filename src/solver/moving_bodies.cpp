#include "solver/moving_bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace firn {
namespace {

using V = Vec<double, 3>;

// Cells around the snow in which a body counts as among it: nodes two cells from a particle feel it, and the snow moves as well.
constexpr double kNear = 3;

// The snow's box as the body sees it, m.
struct Box {
  V middle;  // from the body's origin
  V half;
};

Box box_from(const Model& model, const Body<double, 3>& body, const SnowExtent& snow) {
  const V half = 0.5 * convert_vec<double, 3>(snow.upper - snow.lower);  // in cells
  return {difference(snow.lower, half, body.anchor, model.h) - body.displacement, model.h * half};
}

double farthest_corner(const Box& box) {
  V corner;
  for (int d = 0; d < 3; ++d) corner[d] = std::abs(box.middle[d]) + box.half[d];
  return norm(corner);
}

double distance_to(const Box& box) {
  V outside;
  for (int d = 0; d < 3; ++d) outside[d] = std::max(std::abs(box.middle[d]) - box.half[d], 0.0);
  return norm(outside);
}

// Never more than the distance between the body and the snow's box: phi and the ball around the body both tell something.
double gap(const BodyModel& model, const Body<double, 3>& body, const Box& box, double t) {
  const double beyond_ball = distance_to(box) - bounding_radius(model, t);
  if (model.deformation) return beyond_ball;
  const Surface<double, 3> s = evaluate(body.solid, transpose(body.rotation) * box.middle);
  double extent = norm(box.half);
  if (body.solid.kind == SolidKind::kPlane) {
    const V n = body.rotation * s.n;
    extent = std::abs(n[0]) * box.half[0] + std::abs(n[1]) * box.half[1] + std::abs(n[2]) * box.half[2];
  }
  return std::max(s.phi - extent, beyond_ball);
}

double surface_speed(const BodyModel& body, const Box& box, double begin, double end) {
  const Speeds speeds = body.motion.fastest(begin, end);
  double speed = speeds.origin;
  if (speeds.spin > 0) speed += speeds.spin * std::min(bounding_radius(body, begin), farthest_corner(box));
  if (body.deformation) speed += std::max(body.deformation->at(begin).top_speed, body.deformation->at(end).top_speed);
  return speed;
}

}  // namespace

double surface_speed(const Model& model, const BodyModel& body, const SnowExtent& snow, double end) {
  return surface_speed(body, box_from(model, freeze<double, 3>(body, snow.time), snow), snow.time, end);
}

double limit_by_bodies(const Model& model, const SnowExtent& snow, double dt) {
  if (snow.empty()) return dt;
  for (const BodyModel& body : model.bodies) {
    if (!body.motion.moves() && !body.deformation) continue;
    const Body<double, 3> frozen = freeze<double, 3>(body, snow.time);
    const Box box = box_from(model, frozen, snow);
    const double speed = surface_speed(body, box, snow.time, snow.time + dt);
    // A body away from the snow may come up to it in one step.
    const double travel = std::max(model.solver.cell_fraction * model.h, gap(body, frozen, box, snow.time) - kNear * model.h);
    if (speed * dt > travel) dt = travel / speed;
  }
  return dt;
}

}  // namespace firn
