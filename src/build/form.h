// A shape made ready for use: its level set in its own frame, where that frame stands, and how much it holds.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "collide/body.h"
#include "firn/scene.h"

namespace firn {

struct Form {
  int dimension = 3;
  Solid<double, 3> solid;
  std::shared_ptr<const LevelSet> level_set;  // of a sampled solid
  std::function<double(const Vec<double, 3>&, double farthest)>
      measure;                                     // the distance that the level set samples, in the frame; none of files
  std::shared_ptr<const Deformation> deformation;  // of a sequence, which has no level set of its own
  Vec<double, 3> origin{0, 0, 0};                  // of the frame, in the world, m
  Quat rotation;                                   // from the frame to the world
  Vec<double, 3> lower{0, 0, 0}, upper{0, 0, 0};   // box around the solid in its frame; a plane has none
  double content = 0;                              // m³ (2D: m²); a plane has none, and that of a body may not be known

  // phi at a point given relative to the origin, m. What is farther away than `farthest` may be given as just that.
  double distance(const Vec<double, 3>& r, double farthest = std::numeric_limits<double>::infinity()) const;
  // The box along the world's axes around the solid, relative to the origin.
  Bounds world_box() const;
};

struct FormSettings {
  int dimension = 3;
  double h = 0;                                                   // m, the grid's spacing: sampled solids are resolved accordingly
  double fps = 24;                                                // of sequences that do not say
  bool needs_content = true;                                      // not of a body, which is looked at only where snow comes near it
  double most_content = std::numeric_limits<double>::infinity();  // m³; of more, a level set is not even begun
};

// A shape holds more than FormSettings::most_content.
struct TooMuchContent {
  double content;  // m³
};

// Reads files where the shape names some. Throws UserError, without a place in the scene, or TooMuchContent; appends what had to be
// repaired.
Form make_form(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings);

// The point a shape's own frame starts from: centre, point on the plane, middle of the capsule, a file's origin.
Vec<double, 3> shape_origin(const Shape& shape);

inline Vec<double, 3> to_vec(const Vector& v) { return {v[0], v[1], v[2]}; }

}  // namespace firn
