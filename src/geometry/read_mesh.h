// Triangle meshes from the files that modelling programs write; assimp reads them in a child process.
#pragma once

#include <cstdint>
#include <string>

#include "core/processes.h"
#include "geometry/mesh.h"
#include "math/vec.h"

namespace firn {

// The part of reading a mesh that runs in a child process: assimp, and what is sent to the parent.

inline constexpr std::uint64_t kMostTriangles = 50'000'000;
inline constexpr std::uint64_t kMostPoints = 3 * kMostTriangles;  // no two triangles share one

// The map from a piece of the file to the world.
struct Affine {
  Mat<double, 3> linear;
  Vec<double, 3> offset;
};
Affine operator*(const Affine& outer, const Affine& inner);
inline Vec<double, 3> operator*(const Affine& map, const Vec<double, 3>& x) { return map.linear * x + map.offset; }

// The stream is a sequence of records; the bytes announced by a record follow it.
enum class RecordKind : std::uint32_t {
  kPiece,    // `points` times 3 floats, then `triangles` times 3 indices into these points
  kFailure,  // `text` characters that say what is wrong with the file
  kEnd,
};
struct Record {
  RecordKind kind = RecordKind::kEnd;
  std::uint32_t points = 0, triangles = 0, text = 0;
  Affine placement{Mat<double, 3>::identity(), Vec<double, 3>::zero()};
};

// Reads the file and writes its records.
void import_mesh(const std::string& path, int output);

// All triangles of an OBJ, PLY, STL, glTF, GLB or FBX file, placed as its nodes say; FBX in metres with y up, other formats as their
// numbers are. Polygons are cut into triangles; points and lines are left out. Vertices are not joined: see repair.h.
// Whatever the bytes of the file are, the result is a mesh with finite coordinates and valid indices, or a UserError that names the file
// and the reason.
Mesh read_mesh(const std::string& path);

// The same with other limits than those that follow from the file's size.
Mesh read_mesh(const std::string& path, const ChildLimits& limits);

}  // namespace firn
