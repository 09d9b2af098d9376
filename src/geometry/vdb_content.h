// What a .vdb file has in it, in words and numbers.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "math/bounds.h"

namespace firn {

struct VdbGrid {
  std::string name;
  std::string type;                         // of a value, as OpenVDB calls it: float, vec3s, …
  std::size_t voxels = 0;                   // active ones
  double voxel = 0;                         // edge, m
  Bounds box;                               // of the active voxels' middles, m
  int components = 0;                       // of a value; 0: not numbers, and what follows means nothing
  double least = 0, greatest = 0, sum = 0;  // over active voxels and components
  std::vector<std::pair<std::string, std::string>> metadata;
};

struct VdbContent {
  std::vector<VdbGrid> grids;
  std::vector<std::pair<std::string, std::string>> metadata;
};

// Throws UserError when the file is damaged.
VdbContent describe_vdb(const std::string& path);

}  // namespace firn
