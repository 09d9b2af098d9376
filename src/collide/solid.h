// Level sets in a body's own frame, apart because GPUs compile this half of a body: phi <= 0 inside, n the outward unit normal.
#pragma once

#include <type_traits>

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

// Numbers or Packs of them: N is either, T the number of the solid's own measures.

template <class T, int D, class N>
FIRN_HD inline Surface<N, D> round_surface(const Vec<N, D>& r, T radius) {
  const N length = norm(r);
  const auto away = length > N(T(0));
  const N inverse = N(T(1)) / select(away, length, N(T(1)));
  Surface<N, D> s{length - radius, Vec<N, D>::zero()};
  for (int d = 0; d < D; ++d) s.n[d] = select(away, inverse * r[d], N(T(d == 1)));
  return s;
}

// Distance to a box in the coordinates e_k = |q_k| − half_k, outside exact as well.
template <class T, int D, class N>
FIRN_HD inline Surface<N, D> box_surface(const Vec<N, D>& q, const Vec<T, D>& half) {
  const N zero(T(0));
  Vec<N, D> outside = Vec<N, D>::zero();
  Surface<N, D> inside{abs(q[0]) - half[0], Vec<N, D>::zero()};
  for (int d = 0; d < D; ++d) {
    const N e = abs(q[d]) - half[d], sign = select(q[d] < zero, N(T(-1)), N(T(1)));
    const auto deeper = e > inside.phi;
    if (d == 0) inside.n[0] = sign;
    for (int k = 0; k < d; ++k) inside.n[k] = select(deeper, zero, inside.n[k]);
    if (d > 0) inside.n[d] = select(deeper, sign, zero);
    inside.phi = max(inside.phi, e);
    outside[d] = max(e, zero) * sign;
  }
  const auto is_outside = inside.phi > zero;
  if (!any(is_outside)) return inside;
  Surface<N, D> s = round_surface(outside, T(0));
  s.phi = select(is_outside, s.phi, inside.phi);
  for (int d = 0; d < D; ++d) s.n[d] = select(is_outside, s.n[d], inside.n[d]);
  return s;
}

template <class T, int D, class N>
FIRN_HD inline Surface<N, D> wedge_surface(const Solid<T, D>& b, const Vec<N, D>& q) {
  Surface<N, D> s = box_surface(q, b.half);
  const N side = abs(q[0]) * b.side_cos + (q[1] - b.half[1]) * b.side_sin;
  const auto nearer = side > s.phi;
  s.phi = select(nearer, side, s.phi);
  s.n[0] = select(nearer, select(q[0] < N(T(0)), N(-b.side_cos), N(b.side_cos)), s.n[0]);
  s.n[1] = select(nearer, N(b.side_sin), s.n[1]);
  for (int d = 2; d < D; ++d) s.n[d] = select(nearer, N(T(0)), s.n[d]);
  return s;
}

// A solid of revolution is a flat one in (distance from the axis, height): a cylinder a box, a cone a wedge, a torus a disc.
template <class T, class N>
FIRN_HD inline Surface<N, 3> turned_surface(const Solid<T, 3>& b, const Vec<N, 3>& q) {
  const N r = sqrt(q[0] * q[0] + q[2] * q[2]);
  Surface<N, 2> s;
  if (b.kind == SolidKind::kTorus) {
    s = round_surface(Vec<N, 2>{r - b.radius, q[1]}, b.half[1]);
  } else if (b.kind == SolidKind::kCone) {
    s = wedge_surface(Solid<T, 2>{SolidKind::kWedge, {T(0), T(0)}, {b.radius, b.half[1]}, T(0), b.side_cos, b.side_sin},
                      Vec<N, 2>{r, q[1]});
  } else {
    s = box_surface(Vec<N, 2>{r, q[1]}, Vec<T, 2>{b.radius, b.half[1]});
  }
  const auto off_axis = r > N(T(0));  // on it any direction is outward
  const N some = select(off_axis, r, N(T(1)));
  const N cosine = select(off_axis, q[0] / some, N(T(1))), sine = select(off_axis, q[2] / some, N(T(0)));
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

// At a point of the solid's frame. Sampled solids know single points only.
template <class T, int D, class N>
FIRN_HD inline Surface<N, D> evaluate(const Solid<T, D>& b, const Vec<N, D>& q) {
  switch (b.kind) {
    case SolidKind::kPlane: {
      Surface<N, D> s{q[0] * b.axis[0], Vec<N, D>::zero()};
      for (int d = 1; d < D; ++d) s.phi = s.phi + q[d] * b.axis[d];
      for (int d = 0; d < D; ++d) s.n[d] = N(b.axis[d]);
      return s;
    }
    case SolidKind::kBox: return detail::box_surface(q, b.half);
    case SolidKind::kWedge: return detail::wedge_surface(b, q);
    case SolidKind::kCylinder:
    case SolidKind::kCone:
    case SolidKind::kTorus:
      if constexpr (D == 3) return detail::turned_surface(b, q);
      break;
    case SolidKind::kSampled:
      if constexpr (std::is_same_v<N, T>) {
        const BrickSample<T> s = sample_phi(*b.bricks, detail::in_space(q));
        return detail::from_gradient<T, D>(s.phi, s.gradient);
      }
      break;
    case SolidKind::kCapsule: {
      const T length2 = dot(b.axis, b.axis);
      N along(T(0));
      if (length2 > T(0)) {
        along = q[0] * b.axis[0];
        for (int d = 1; d < D; ++d) along = along + q[d] * b.axis[d];
        along = clamp(along / length2, N(T(-1)), N(T(1)));
      }
      Vec<N, D> r;
      for (int d = 0; d < D; ++d) r[d] = q[d] - along * b.axis[d];
      return detail::round_surface(r, b.radius);
    }
    case SolidKind::kSphere: break;
  }
  return detail::round_surface(q, b.radius);
}

}  // namespace firn
