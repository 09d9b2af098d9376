#include "collide/body.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace firn {

double bounding_radius(const BodyModel& body) {
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
  Vec<double, 3> corner;
  for (int d = 0; d < 3; ++d) corner[d] = std::max(std::abs(body.lower[d]), std::abs(body.upper[d]));
  return norm(corner);
}

}  // namespace firn
