// A body key-framed by files, one per frame: walk_0001.obj, walk_0002.obj, ... (M20).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collide/deformation.h"
#include "geometry/mesh.h"
#include "scene/form.h"

namespace firn {

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
