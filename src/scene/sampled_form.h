// Shapes without a formula: level sets sampled from files and from other shapes.
#pragma once

#include <optional>

#include "geometry/mesh.h"
#include "geometry/volume_builder.h"
#include "scene/form.h"

namespace firn {

// Bodies are sampled twice as finely as the grid: a sphere ten cells in radius then has its volume to 0.2 %.
inline constexpr double kVoxelsPerCell = 2;
inline constexpr double kBandCells = 2;  // outside the surface; beyond it only bounds are known

struct SampledShape {
  std::shared_ptr<const LevelSet> level_set;  // in the shape's own frame
  Vec<double, 3> lower, upper;                // box around what is inside
  DistanceFunction measure;                   // what the values were, or will be, taken from; none of files
  std::optional<double> content;              // where it is known without a look at the values: m³ (2D: m²)
};

// Of a mesh or volume file, scaled; a height field; text; or a union, difference or intersection of parts, whose frame starts at the first
// part's origin and is not turned. Throws UserError.
SampledShape sample_shape(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings);

// The ground of a height field, closed, in the shape's own frame. Throws UserError.
Mesh heightfield_mesh(const Shape& shape, double h);

}  // namespace firn
