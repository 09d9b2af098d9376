// The way of a body from one motion key to the next.
#pragma once

#include <vector>

#include "collide/motion.h"

namespace firn {

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
  double span_;              // s
  Vec<double, 3> travel_;    // m
  Vec<double, 3> begin_velocity_, end_velocity_;
  Vec<double, 3> turns_[3];  // the rotation is exp(B₃ turns[2]) exp(B₂ turns[1]) exp(B₁ turns[0]) times the first
};

}  // namespace firn
