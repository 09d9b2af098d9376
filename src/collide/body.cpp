#include "collide/body.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace firn {

Travel travel_of(const BodyModel& body, const Vec<double, 3>& displacement) {
  constexpr double kFarthest = 1 << 29;  // cells are 32-bit numbers
  Travel travel{body.anchor.cell, displacement};
  for (int d = 0; d < 3 && body.cell > 0; ++d) {
    const double cells = std::floor(displacement[d] / body.cell);
    if (!(std::abs(cells) < kFarthest)) continue;
    travel.cell[d] += static_cast<std::int32_t>(cells);
    travel.rest[d] -= cells * body.cell;
  }
  return travel;
}

Bounds box_at(const BodyModel& body, double t) {
  if (!body.deformation) return {body.lower, body.upper};
  const DeformedShape shape = body.deformation->at(t);
  Bounds box{shape.from->volume.lower, shape.from->volume.upper()};
  const Vec<double, 3> lower = shape.to->volume.lower, upper = shape.to->volume.upper();
  for (int d = 0; d < 3; ++d) {
    box.lower[d] = std::min(box.lower[d], lower[d]);
    box.upper[d] = std::max(box.upper[d], upper[d]);
  }
  return box;
}

double bounding_radius(const BodyModel& body, double t) {
  const Solid<double, 3>& s = body.solid;
  switch (s.kind) {
    case SolidKind::kPlane: return std::numeric_limits<double>::infinity();
    case SolidKind::kSphere: return s.radius;
    case SolidKind::kCapsule: return norm(s.axis) + s.radius;
    case SolidKind::kCylinder:
    case SolidKind::kCone: return std::hypot(s.radius, s.half[1]);
    case SolidKind::kTorus: return s.radius + s.half[1];
    case SolidKind::kBox:
    case SolidKind::kWedge: return norm(s.half);
    case SolidKind::kSampled: break;
  }
  const Bounds box = box_at(body, t);
  Vec<double, 3> corner;
  for (int d = 0; d < 3; ++d) corner[d] = std::max(std::abs(box.lower[d]), std::abs(box.upper[d]));
  return norm(corner);
}

}  // namespace firn
