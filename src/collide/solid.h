// Level sets in a body's own frame, apart because GPUs compile this half of a body: phi <= 0 inside, n the outward unit normal.
#pragma once

#include "collide/bricks.h"
#include "math/vec.h"

namespace firn {

enum class SolidKind { kPlane, kSphere, kBox, kCylinder, kCapsule, kWedge, kCone, kTorus, kSampled };

template <class T, int D>
struct Solid {
  SolidKind kind = SolidKind::kSphere;
  Vec<T, D> axis;  // plane: the normal; capsule: half of its axis
  Vec<T, D> half;  // box, wedge: half edges; cylinder, cone: half[1] is half the height; torus: half[1] is the tube's radius
  T radius = 0;    // sphere, capsule, cylinder; torus: of the ring
  T side_cos = 0;  // wedge, cone: the sides fall from the top with outward normals (±cos, sin) of half the opening angle
  T side_sin = 0;
  const Bricks* bricks = nullptr;  // sampled: the values, owned by the model; of three dimensions also in 2D
};

template <class T, int D>
struct Surface {
  T phi;        // signed distance, m (outside wedges, cones and sampled bodies: a lower bound)
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

// A solid of revolution is a flat one in (distance from the axis, height): a cylinder a box, a cone a wedge, a torus a disc.
template <class T>
FIRN_HD inline Surface<T, 3> turned_surface(const Solid<T, 3>& b, const Vec<T, 3>& q) {
  const T r = sqrt(q[0] * q[0] + q[2] * q[2]);
  Surface<T, 2> s;
  if (b.kind == SolidKind::kTorus) {
    s = round_surface<T, 2>({r - b.radius, q[1]}, b.half[1]);
  } else if (b.kind == SolidKind::kCone) {
    s = wedge_surface<T, 2>({SolidKind::kWedge, {T(0), T(0)}, {b.radius, b.half[1]}, T(0), b.side_cos, b.side_sin}, {r, q[1]});
  } else {
    s = box_surface<T, 2>({r, q[1]}, {b.radius, b.half[1]});
  }
  const T cosine = r > T(0) ? q[0] / r : T(1), sine = r > T(0) ? q[2] / r : T(0);  // on the axis any direction is outward
  return {s.phi, {s.n[0] * cosine, s.n[1], s.n[0] * sine}};
}

// q as a point in space: in 2D solids are cut at z = 0.
template <class T, int D>
FIRN_HD inline Vec<T, 3> in_space(const Vec<T, D>& q) {
  return {q[0], q[1], D == 3 ? q[D - 1] : T(0)};
}

template <class T, int D>
FIRN_HD inline Surface<T, D> from_gradient(T phi, const Vec<T, 3>& gradient) {
  Surface<T, D> s{phi, Vec<T, D>::zero()};
  for (int d = 0; d < D; ++d) s.n[d] = gradient[d];
  const T length = norm(s.n);
  if (length > T(0)) {
    s.n = (T(1) / length) * s.n;
  } else {
    s.n[1] = T(1);
  }
  return s;
}

}  // namespace detail

template <class T, int D>
FIRN_HD inline Surface<T, D> evaluate(const Solid<T, D>& b, const Vec<T, D>& q) {
  switch (b.kind) {
    case SolidKind::kPlane: return {dot(b.axis, q), b.axis};
    case SolidKind::kBox: return detail::box_surface(q, b.half);
    case SolidKind::kWedge: return detail::wedge_surface(b, q);
    case SolidKind::kCylinder:
    case SolidKind::kCone:
    case SolidKind::kTorus:
      if constexpr (D == 3) return detail::turned_surface(b, q);
      break;
    case SolidKind::kSampled: {
      const BrickSample<T> s = sample_phi(*b.bricks, detail::in_space(q));
      return detail::from_gradient<T, D>(s.phi, s.gradient);
    }
    case SolidKind::kCapsule: {
      const T length2 = dot(b.axis, b.axis);
      const T along = length2 > T(0) ? clamp(dot(q, b.axis) / length2, T(-1), T(1)) : T(0);
      return detail::round_surface(q - along * b.axis, b.radius);
    }
    case SolidKind::kSphere: break;
  }
  return detail::round_surface(q, b.radius);
}

}  // namespace firn
