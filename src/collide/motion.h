// Rigid motion of a body through time, in double precision and 3D (2D bodies turn about z): rotations, keys, the way between them.
#pragma once

#include <optional>
#include <vector>

#include "math/vec.h"

namespace firn {

struct Quat {
  double w = 1, x = 0, y = 0, z = 0;
};
Quat operator*(const Quat& a, const Quat& b);
Quat conjugate(const Quat& q);
Quat normalized(const Quat& q);
// The rotation by |r| radians about r.
Quat from_rotation_vector(const Vec<double, 3>& r);
// The shortest rotation vector of q.
Vec<double, 3> to_rotation_vector(const Quat& q);
Mat<double, 3> to_matrix(const Quat& q);

struct PoseKey {
  double t;
  Vec<double, 3> position;  // of the body's origin, m
  Quat rotation;
};

struct Pose {
  Vec<double, 3> displacement;  // of the body's origin since rest, m
  Quat rotation;                // from the body's frame to the world
  Vec<double, 3> velocity;      // of the origin, m/s
  Vec<double, 3> spin;          // rad/s
};

// The most that a body does in some time.
struct Speeds {
  double origin = 0;  // m/s
  double spin = 0;    // rad/s
};

struct RigidMotion {
  Quat rest_rotation;
  Vec<double, 3> velocity{0, 0, 0};
  Vec<double, 3> spin{0, 0, 0};
  Vec<double, 3> origin_from_pivot{0, 0, 0};  // at rest
  Vec<double, 3> origin{0, 0, 0};             // at rest, world; needed by keys only
  std::vector<PoseKey> keys;                  // increasing t; when present, velocity and spin are not used
  bool smooth = false;                        // between keys: without jumps of the velocity

  bool moves() const;
  // velocity and spin are the derivatives of displacement and rotation.
  Pose at(double t) const;
  // Never less than the speeds at any time in [begin, end].
  Speeds fastest(double begin, double end) const;
};

// The way of a body from one motion key to the next.

// Position: the cubic Hermite curve. Rotation: the cubic Hermite quaternion curve of Kim, Kim and Shin (1995). Velocities at the keys
// decide what comes of it: with those of the straight way between the two keys both turn evenly along it; with those of the way between the
// neighbours of a key (Catmull and Rom 1974, at uneven times) the curves join smoothly there.
class KeyCurve {
 public:
  // From keys[k] to keys[k + 1].
  KeyCurve(const std::vector<PoseKey>& keys, std::size_t k, bool smooth);

  // begin <= t <= end; `origin` as in RigidMotion.
  Pose at(double t, const Vec<double, 3>& origin) const;
  // Never less than the speeds anywhere on the curve.
  Speeds fastest() const;

 private:
  const PoseKey& from_;
  double span_;            // s
  Vec<double, 3> travel_;  // m
  Vec<double, 3> begin_velocity_, end_velocity_;
  Vec<double, 3> turns_[3];  // the rotation is exp(B₃ turns[2]) exp(B₂ turns[1]) exp(B₁ turns[0]) times the first
};

}  // namespace firn
