// The bodies of a scene as triangles, for programs that show them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

enum class BodyKind { kSnow, kCollider, kSource, kSink };

struct ShownBody {
  BodyKind kind = BodyKind::kCollider;
  std::size_t index = 0;  // among those of its kind
  std::string name;       // a collider's; of others such as "snow_0"
  std::string shape;      // as scenes call it
  bool visible = true, moves = false, deforms = false;
  std::optional<Vector> normal;  // of a plane, in its own frame
  // In the body's own frame, m. A plane has neither, nor has snow from a file of particles.
  std::vector<Vector> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;  // counterclockwise seen from outside
};

struct BodyPose {
  Vector position{0, 0, 0};  // of the body's origin, m
  Quaternion rotation{1, 0, 0, 0};
};

class SceneBodies {
 public:
  // Reads files where shapes name some. Throws UserError at a body's place.
  explicit SceneBodies(const Scene& scene);
  ~SceneBodies();
  SceneBodies(const SceneBodies&) = delete;
  SceneBodies& operator=(const SceneBodies&) = delete;

  const std::vector<ShownBody>& all() const;  // as they are at t = 0
  // Where each of them is at a time, s.
  std::vector<BodyPose> poses(double time) const;
  // A body that deforms, as it is at a time. Throws UserError.
  ShownBody at(std::size_t body, double time) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace firn
