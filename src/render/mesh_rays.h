// Rays against triangles. Embree finds the triangle and stays behind this header.
#pragma once

#include <memory>
#include <optional>

#include "geometry/mesh.h"
#include "render/vector.h"

namespace firn {

class MeshRays {
 public:
  // Wants a clean mesh that faces outwards. Throws RunError when memory does not suffice.
  explicit MeshRays(const Mesh& mesh);
  ~MeshRays();

  // Rays start from here, so that single precision suffices wherever in its frame the mesh lies; m.
  const Vec<double, 3>& middle() const { return middle_; }

  struct Hit {
    float t;
    Float3 face;    // normal of the triangle, towards where the ray came from
    Float3 normal;  // the same for shading: smooth but for sharp edges
  };
  // In metres from the middle. Triangles are seen from both sides.
  std::optional<Hit> trace(const Ray& ray, float farthest) const;

 private:
  struct Tree;

  Vec<double, 3> middle_;
  std::unique_ptr<const Tree> tree_;
};

}  // namespace firn
