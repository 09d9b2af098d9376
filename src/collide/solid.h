// Analytic level sets in a body's own frame: phi <= 0 inside, n the outward unit normal.
#pragma once

#include "math/vec.h"

namespace firn {

enum class SolidKind { kPlane, kSphere, kBox, kCylinder, kCapsule, kWedge };

template <class T, int D>
struct Solid {
  SolidKind kind = SolidKind::kSphere;
  Vec<T, D> axis;      // plane: the normal; capsule: half of its axis
  Vec<T, D> half;      // box, wedge: half edges; cylinder: half[1] is half its height
  T radius = 0;        // sphere, capsule, cylinder
  T side_cos = 0;      // wedge: the sides fall from the top edge with outward normals (±cos, sin) of half the opening angle
  T side_sin = 0;
};

template <class T, int D>
struct Surface {
  T phi;        // signed distance, m (outside a wedge: a lower bound)
  Vec<T, D> n;  // grad phi
};

namespace detail {

template <class T, int D>
FIRN_HD inline Surface<T, D> round_surface(const Vec<T, D>& r, T radius) {
  const T length = norm(r);
  Surface<T, D> s{length - radius, Vec<T, D>::zero()};
  if (length > T(0)) {
    s.n = (T(1) / length) * r;
  } else {
    s.n[1] = T(1);
  }
  return s;
}

// Distance to a box in the coordinates e_k = |q_k| − half_k, outside exact as well.
template <class T, int D>
FIRN_HD inline Surface<T, D> box_surface(const Vec<T, D>& q, const Vec<T, D>& half) {
  Vec<T, D> outside = Vec<T, D>::zero();
  int face = 0;
  T deepest = abs(q[0]) - half[0];
  for (int d = 0; d < D; ++d) {
    const T e = abs(q[d]) - half[d];
    if (e > deepest) {
      deepest = e;
      face = d;
    }
    outside[d] = max(e, T(0)) * (q[d] < T(0) ? T(-1) : T(1));
  }
  if (deepest > T(0)) return round_surface(outside, T(0));
  Surface<T, D> s{deepest, Vec<T, D>::zero()};
  s.n[face] = q[face] < T(0) ? T(-1) : T(1);
  return s;
}

template <class T, int D>
FIRN_HD inline Surface<T, D> wedge_surface(const Solid<T, D>& b, const Vec<T, D>& q) {
  Surface<T, D> s = box_surface(q, b.half);
  const T side = abs(q[0]) * b.side_cos + (q[1] - b.half[1]) * b.side_sin;
  if (side > s.phi) {
    s.phi = side;
    s.n = Vec<T, D>::zero();
    s.n[0] = q[0] < T(0) ? -b.side_cos : b.side_cos;
    s.n[1] = b.side_sin;
  }
  return s;
}

// A cylinder is a box in (distance from the axis, height).
template <class T>
FIRN_HD inline Surface<T, 3> cylinder_surface(const Solid<T, 3>& b, const Vec<T, 3>& q) {
  const T r = sqrt(q[0] * q[0] + q[2] * q[2]);
  const Surface<T, 2> s = box_surface<T, 2>({r, q[1]}, {b.radius, b.half[1]});
  const T cosine = r > T(0) ? q[0] / r : T(1), sine = r > T(0) ? q[2] / r : T(0);  // on the axis any direction is outward
  return {s.phi, {s.n[0] * cosine, s.n[1], s.n[0] * sine}};
}

}  // namespace detail

template <class T, int D>
FIRN_HD inline Surface<T, D> evaluate(const Solid<T, D>& b, const Vec<T, D>& q) {
  switch (b.kind) {
    case SolidKind::kPlane:
      return {dot(b.axis, q), b.axis};
    case SolidKind::kBox:
      return detail::box_surface(q, b.half);
    case SolidKind::kWedge:
      return detail::wedge_surface(b, q);
    case SolidKind::kCylinder:
      if constexpr (D == 3) return detail::cylinder_surface(b, q);
      break;
    case SolidKind::kCapsule: {
      const T length2 = dot(b.axis, b.axis);
      const T along = length2 > T(0) ? clamp(dot(q, b.axis) / length2, T(-1), T(1)) : T(0);
      return detail::round_surface(q - along * b.axis, b.radius);
    }
    case SolidKind::kSphere:
      break;
  }
  return detail::round_surface(q, b.radius);
}

}  // namespace firn
