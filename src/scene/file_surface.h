// The surfaces in the files that scenes name, repaired and scaled, and the level sets they become.
#pragma once

#include "geometry/level_set.h"
#include "geometry/repair.h"
#include "scene/form.h"

namespace firn {

struct FileSurface {
  Mesh mesh;  // closed, or for a sheet as it is; in the shape's own frame
  MeshReport report;
};

// Of shape "mesh" or "volume", or of a sequence's frame: `file` is read the way its ending says. Throws UserError; appends what was repaired.
FileSurface read_surface(const std::string& file, const Shape& shape, std::vector<std::string>& warnings);

// How finely and how far out the surface is sampled.
LevelSetOptions sampling_of(const FileSurface& surface, const Shape& shape, double h);

}  // namespace firn
