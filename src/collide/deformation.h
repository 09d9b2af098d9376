// A body that changes its shape: key-framed level sets with velocities (M20).
#pragma once

#include <memory>

#include "collide/volume.h"

namespace firn {

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

}  // namespace firn
