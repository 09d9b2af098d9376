// Collision bodies: the rule of contact (M19), shapes that change (M20), a body frozen at one moment, what the snow does to it.
#pragma once

#include <memory>
#include <vector>

#include "collide/bricks.h"
#include "collide/motion.h"
#include "collide/solid.h"
#include "math/lattice.h"
#include "math/vec.h"

namespace firn {

// The collision rule (M19), the same for grid nodes and particles.

enum class Contact : unsigned char { kNone, kSliding, kStuck };

template <class T, int D>
struct Response {
  Vec<T, D> v;
  Contact contact;
};

// v: velocity of a point with phi <= 0; n: outward normal; v_co: the body's velocity there.
template <class T, int D>
FIRN_HD inline Response<T, D> respond(const Vec<T, D>& v, const Vec<T, D>& n, const Vec<T, D>& v_co, T friction, bool sticky) {
  if (sticky) return {v_co, Contact::kStuck};
  const Vec<T, D> v_rel = v - v_co;
  const T v_n = dot(v_rel, n);
  if (v_n >= T(0)) return {v, Contact::kNone};
  const Vec<T, D> v_t = v_rel - v_n * n;
  const T speed = norm(v_t);
  // Without friction nothing holds the point along the surface, even when it happens not to slide.
  if (friction > T(0) && speed <= -friction * v_n) return {v_co, Contact::kStuck};
  const T kept = speed > T(0) ? T(1) + friction * v_n / speed : T(0);
  return {kept * v_t + v_co, Contact::kSliding};  // (M19)
}

// A body that changes its shape: key-framed level sets with velocities (M20).

// What (M20) needs at one moment: the frames before and after, how far between them, and the time from one to the other.
struct DeformedShape {
  std::shared_ptr<const LevelSet> from, to;
  double gamma = 0;
  double span = 0;       // s
  double top_speed = 0;  // m/s, of any point of the body
};

class Deformation {
 public:
  virtual ~Deformation() = default;
  // Safe to call from several threads, and the same whatever was asked before.
  virtual DeformedShape at(double t) const = 0;
};

// A body as the model keeps it: constant through the run.
struct BodyModel {
  Solid<double, 3> solid;
  std::shared_ptr<const LevelSet> level_set;       // of a sampled solid
  std::shared_ptr<const Deformation> deformation;  // of a deforming one: it has no level set of its own
  Vec<double, 3> lower{0, 0, 0}, upper{0, 0, 0};   // box around the solid in its own frame, m; a plane has none
  LatticePoint<double, 3> anchor;                  // the origin of the solid's frame at rest
  double cell = 0;                                 // m, of that lattice; 0: not known
  RigidMotion motion;
  double friction = 0;
  bool sticky = false;
};

// The box around a body in its own frame; around a deforming one at time t, between its frames.
Bounds box_at(const BodyModel& body, double t);

// The radius of the ball around a body's origin that holds all of it; infinite for planes.
double bounding_radius(const BodyModel& body, double t);

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
  int number = 0;                // in the scene
  const Bricks* next = nullptr;  // deforming: the frame after the solid's own (M20)
  T gamma = 0, span = 0;

  FIRN_HD bool moves() const { return next != nullptr || norm(velocity) > T(0) || norm(spin) > T(0); }
};

// Bodies at one moment, and what they point at.
template <class T, int D>
struct Bodies {
  std::vector<Body<T, D>> list;
  std::vector<std::shared_ptr<const LevelSet>> held;
};

// The point (cell, offset) seen from the body.
template <class T, int D>
struct BodyContact {
  T phi;
  Vec<T, D> n;
  Vec<T, D> v_co;
  Vec<T, D> r;  // from the body's origin, m
};

namespace detail {

template <class T, int D>
struct DeformedSurface {
  Surface<T, D> surface;
  Vec<T, D> v;  // of the deformation alone, in the body's frame
};

// (M20)
template <class T, int D>
FIRN_HD inline DeformedSurface<T, D> deformed(const Body<T, D>& b, const Vec<T, D>& q) {
  const Vec<T, 3> x = in_space(q);
  const T gamma = b.gamma;
  const Vec<T, 3> v = (T(1) - gamma) * sample_velocity(*b.solid.bricks, x) + gamma * sample_velocity(*b.next, x);
  const BrickSample<T> before = sample_phi(*b.solid.bricks, x - (gamma * b.span) * v);
  const BrickSample<T> after = sample_phi(*b.next, x + ((T(1) - gamma) * b.span) * v);
  DeformedSurface<T, D> result;
  result.surface =
      from_gradient<T, D>((T(1) - gamma) * before.phi + gamma * after.phi, (T(1) - gamma) * before.gradient + gamma * after.gradient);
  for (int d = 0; d < D; ++d) result.v[d] = v[d];
  return result;
}

}  // namespace detail

template <class T, int D>
FIRN_HD inline BodyContact<T, D> probe(const Body<T, D>& b, const Cell<D>& cell, const Vec<T, D>& offset, T h) {
  const Vec<T, D> r = difference(cell, offset, b.anchor, h) - b.displacement;
  const Vec<T, D> q = transpose(b.rotation) * r;
  Surface<T, D> s;
  Vec<T, D> v_co = b.velocity;
  if (b.next != nullptr) {
    const detail::DeformedSurface<T, D> deformed = detail::deformed(b, q);
    s = deformed.surface;
    v_co += b.rotation * deformed.v;
  } else {
    s = evaluate(b.solid, q);
  }
  if constexpr (D == 3) {
    v_co += cross(b.spin, r);
  } else {
    v_co[0] -= b.spin[2] * r[1];
    v_co[1] += b.spin[2] * r[0];
  }
  return {s.phi, b.rotation * s.n, v_co, r};
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
  r.bricks = s.bricks;
  return r;
}

// The cell that the body's anchor has come to, and what is left of the way, m: whole cells are exact, so that precision does not suffer
// however far a body goes.
struct Travel {
  Cell<3> cell;
  Vec<double, 3> rest;
};
Travel travel_of(const BodyModel& body, const Vec<double, 3>& displacement);

// The body in a pose; of a deforming one only where it stands.
template <class T, int D>
inline Body<T, D> freeze(const BodyModel& m, const Pose& pose) {
  const Mat<double, 3> rotation = to_matrix(pose.rotation);
  Body<T, D> b;
  b.solid = convert_solid<T, D>(m.solid);
  const Travel travel = travel_of(m, pose.displacement);
  b.anchor = {convert_vec<std::int32_t, D>(travel.cell), convert_vec<T, D>(m.anchor.offset)};
  b.displacement = convert_vec<T, D>(travel.rest);
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) b.rotation(i, j) = static_cast<T>(rotation(i, j));
  b.velocity = convert_vec<T, D>(pose.velocity);
  b.spin = convert_vec<T, 3>(pose.spin);
  b.friction = static_cast<T>(m.friction);
  b.sticky = m.sticky;
  return b;
}

template <class T, int D>
inline Body<T, D> freeze(const BodyModel& m, double t) {
  return freeze<T, D>(m, m.motion.at(t));
}

// Where motions take bodies.
inline std::vector<Pose> poses_at(const std::vector<BodyModel>& models, double t) {
  std::vector<Pose> poses;
  poses.reserve(models.size());
  for (const BodyModel& model : models) poses.push_back(model.motion.at(t));
  return poses;
}

// All bodies in these poses, deformed as at time t.
template <class T, int D>
inline Bodies<T, D> freeze(const std::vector<BodyModel>& models, const std::vector<Pose>& poses, double t) {
  Bodies<T, D> bodies;
  bodies.list.reserve(models.size());
  for (const BodyModel& model : models) {
    const std::size_t number = bodies.list.size();
    Body<T, D>& b = bodies.list.emplace_back(freeze<T, D>(model, poses[number]));
    b.number = static_cast<int>(number);
    if (!model.deformation) continue;
    const DeformedShape shape = model.deformation->at(t);
    b.solid.bricks = &shape.from->bricks;
    bodies.held.push_back(shape.from);
    if (shape.top_speed == 0) continue;  // between its first and last frame only does it deform
    b.next = &shape.to->bricks;
    b.gamma = static_cast<T>(shape.gamma);
    b.span = static_cast<T>(shape.span);
    bodies.held.push_back(shape.to);
  }
  return bodies;
}

template <class T, int D>
inline Bodies<T, D> freeze(const std::vector<BodyModel>& models, double t) {
  return freeze<T, D>(models, poses_at(models, t), t);
}

// What snow does to the bodies it touches: forces, torques and power, from the velocities that contacts took away.

struct Load {
  Vec<double, 3> force{0, 0, 0};   // N (2D: per metre of depth)
  Vec<double, 3> torque{0, 0, 0};  // N m about the body's origin
  double power = 0;                // W, done on the body

  // A contact in which the body took the velocity `taken` from something of `mass_rate` kg in every second.
  template <class T, int D>
  void add(double mass_rate, const BodyContact<T, D>& contact, const Vec<T, D>& taken) {
    const Vec<double, 3> given = mass_rate * convert_vec<double, 3>(taken);
    force += given;
    torque += cross(convert_vec<double, 3>(contact.r), given);
    power += dot(given, convert_vec<double, 3>(contact.v_co));
  }

  void add(double factor, const Load& other) {
    force += factor * other.force;
    torque += factor * other.torque;
    power += factor * other.power;
  }
};

// What one of the bodies near a block feels of it; lists are in the order of the bodies.
struct NearLoad {
  int body;  // its number in the scene
  Load load;
};
using NearLoads = std::vector<NearLoad>;

template <class T, int D>
inline void start_loads(const std::vector<Body<T, D>>& near, NearLoads& loads) {
  loads.clear();
  for (const Body<T, D>& body : near) loads.push_back({body.number, {}});
}

}  // namespace firn
