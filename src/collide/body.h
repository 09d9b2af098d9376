// A collision body frozen at one moment: what nodes and particles are tested against during a step.
#pragma once

#include "collide/contact.h"
#include "collide/motion.h"
#include "collide/solid.h"
#include "math/lattice.h"

namespace firn {

// A body as the model keeps it: constant through the run.
struct BodyModel {
  Solid<double, 3> solid;
  LatticePoint<double, 3> anchor;  // the origin of the solid's frame at rest
  RigidMotion motion;
  double friction = 0;
  bool sticky = false;
};

template <class T, int D>
struct Body {
  Solid<T, D> solid;
  LatticePoint<T, D> anchor;
  Vec<T, D> displacement;
  Mat<T, D> rotation;
  Vec<T, D> velocity;  // of the origin
  Vec<T, 3> spin;
  T friction;
  bool sticky;
};

// The point (cell, offset) seen from the body.
template <class T, int D>
struct BodyContact {
  T phi;
  Vec<T, D> n;
  Vec<T, D> v_co;
};

template <class T, int D>
FIRN_HD inline BodyContact<T, D> probe(const Body<T, D>& b, const Cell<D>& cell, const Vec<T, D>& offset, T h) {
  const Vec<T, D> r = difference(cell, offset, b.anchor, h) - b.displacement;
  const Surface<T, D> s = evaluate(b.solid, transpose(b.rotation) * r);
  Vec<T, D> v_co = b.velocity;
  if constexpr (D == 3) {
    v_co += cross(b.spin, r);
  } else {
    v_co[0] -= b.spin[2] * r[1];
    v_co[1] += b.spin[2] * r[0];
  }
  return {s.phi, b.rotation * s.n, v_co};
}

template <class T, int D, class S, int E>
inline Vec<T, D> convert_vec(const Vec<S, E>& x) {
  Vec<T, D> r = Vec<T, D>::zero();
  for (int d = 0; d < (D < E ? D : E); ++d) r[d] = static_cast<T>(x[d]);
  return r;
}

// A 2D solid is the section of the 3D one at z = 0.
template <class T, int D>
inline Solid<T, D> convert_solid(const Solid<double, 3>& s) {
  Solid<T, D> r;
  r.kind = s.kind;
  r.axis = convert_vec<T, D>(s.axis);
  r.half = convert_vec<T, D>(s.half);
  r.radius = static_cast<T>(s.radius);
  r.side_cos = static_cast<T>(s.side_cos);
  r.side_sin = static_cast<T>(s.side_sin);
  return r;
}

template <class T, int D>
inline Body<T, D> freeze(const BodyModel& m, double t) {
  const Pose pose = m.motion.at(t);
  const Mat<double, 3> rotation = to_matrix(pose.rotation);
  Body<T, D> b;
  b.solid = convert_solid<T, D>(m.solid);
  b.anchor = {convert_vec<std::int32_t, D>(m.anchor.cell), convert_vec<T, D>(m.anchor.offset)};
  b.displacement = convert_vec<T, D>(pose.displacement);
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) b.rotation(i, j) = static_cast<T>(rotation(i, j));
  b.velocity = convert_vec<T, D>(pose.velocity);
  b.spin = convert_vec<T, 3>(pose.spin);
  b.friction = static_cast<T>(m.friction);
  b.sticky = m.sticky;
  return b;
}

}  // namespace firn
