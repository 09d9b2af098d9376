// The part of reading a mesh that runs in a child process: assimp, and what is sent to the parent.
#pragma once

#include <cstdint>
#include <string>

#include "math/vec.h"

namespace firn {

inline constexpr std::uint64_t kMostTriangles = 50'000'000;
inline constexpr std::uint64_t kMostPoints = 3 * kMostTriangles;  // no two triangles share one

// From a piece of the file to the world.
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

}  // namespace firn
