// Shapes without a formula: level sets from files, from other shapes, and key-framed by a file per frame.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "build/form.h"
#include "collide/body.h"
#include "geometry/level_set.h"
#include "geometry/mesh.h"
#include "geometry/repair.h"
#include "geometry/volume_builder.h"

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

// Samples a mesh or volume file, scaled; a height field; text; or a union, difference or intersection of parts, whose frame starts at the
// first part's origin and is not turned. Throws UserError.
SampledShape sample_shape(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings);

// The ground of a height field, closed, in the shape's own frame. Throws UserError.
Mesh heightfield_mesh(const Shape& shape, double h);

// The surfaces in the files that scenes name, repaired and scaled, and the level sets they become.

struct FileSurface {
  Mesh mesh;  // closed, or for a sheet as it is; in the shape's own frame
  MeshReport report;
};

// The surface of shape "mesh" or "volume", or of a sequence's frame: `file` is read the way its ending says. Throws UserError; appends what
// was repaired.
FileSurface read_surface(const std::string& file, const Shape& shape, std::vector<std::string>& warnings);

// How finely and how far out the surface is sampled.
LevelSetOptions sampling_of(const FileSurface& surface, const Shape& shape, double h);

// A body key-framed by files, one per frame: walk_0001.obj, walk_0002.obj, ... (M20).

struct SequenceForm {
  std::shared_ptr<const Deformation> deformation;
  Vec<double, 3> lower, upper;  // box around the first frame, in the shape's own frame
};

// Reads the first two frames now, the others in the background as time goes on: in memory are the two in use, the one before them, which
// steps across a frame's time still need, and the next one.
// Before its first and after its last frame the body stands still. Throws UserError; damaged later files throw RunError when they are due.
SequenceForm make_sequence(const Shape& shape, double h, double fps, std::vector<std::string>& warnings);

// The triangles at time t; none of files other than meshes, and where the points of the frames before and after are not the same ones.
// `fps` is the scene's. Throws UserError.
std::optional<Mesh> sequence_mesh(const Shape& shape, double fps, double t);

}  // namespace firn
