// Normals for shading: smooth where a surface is meant to be round, with the edges that it is meant to have.
#pragma once

#include <array>
#include <vector>

#include "geometry/mesh.h"

namespace firn {

// Of length 1, at the corners of a triangle.
using CornerNormals = std::array<Vec<float, 3>, 3>;

// For every triangle. Around a point, triangles share a normal, their mean weighted by the angles they have there (Thürmer and Wüthrich
// 1998), as far as one gets from one to the next over edges where their own normals have at least `least_cosine`. Wants a clean mesh.
std::vector<CornerNormals> corner_normals(const Mesh& mesh, double least_cosine);

}  // namespace firn
