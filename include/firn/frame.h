// What the particles are at one moment, as written to and read from files: plain columns in double precision. And the files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firn/fields.h"
#include "firn/scene.h"

namespace firn {

struct Frame {
  // id, position, velocity, mass, volume, jp, je, material, fe, b, stiffness, hardening, critical_compression, critical_stretch,
  // young_modulus: vectors of numbers and arrays. Those that only complete frames have are empty in others; so are those a run does not
  // need: APIC's b, and parameters of particles that differ from their material's.
#define FIRN_FILES(type, shape, frames, field, name, ...) std::vector<fields::type::shape> name;
#define FIRN_BOTH(member, type, shape, change, needs, initial, frames, field, name, ...) FIRN_FILES(type, shape, frames, field, name)
  FIRN_FIELDS(FIRN_NO_FIELD, FIRN_FILES, FIRN_BOTH)
#undef FIRN_FILES
#undef FIRN_BOTH

  bool double_precision = false;  // of its numbers in files; else they are rounded to float

  std::size_t size() const { return position.size(); }
};

// The nodes that snow has mass at, at one moment, with what the next step finds there: mass and velocity (M4), and force (M6).
struct GridFields {
  double spacing = 0;                             // h, m: node i stands at i h
  std::vector<std::array<std::int32_t, 3>> node;  // i, by x, then y, then z; 2D: z is 0
  std::vector<double> mass;                       // kg (2D: per metre of depth, as are forces)
  std::vector<Vector> velocity;                   // m/s
  std::vector<Vector> force;                      // N, of the snow's stress; neither gravity nor bodies
  bool double_precision = false;                  // of its numbers in files

  std::size_t size() const { return node.size(); }
};

// Binary little-endian PLY with every column the frame has, written under a temporary name and renamed, rows in id order. Throws
// RunError.
void write_ply(const std::string& path, const Frame& frame);

// What is known of a frame beside its particles. Formats take of it what they can keep.
struct FrameNotes {
  double time = 0;  // s
  double fps = 24;  // frames per second of the run
  int dimension = 3;
  double spacing = 0;              // h, m: of the grid that volumes are made on; 0: not known
  Kernel kernel = Kernel::kCubic;  // that volumes are made with
};

struct FormatOptions {
  double fpc_error = 0;     // m; the most a position in a .fpc may be wrong; 0: nothing is
  bool vdb_points = false;  // .vdb: the particles as well
};

struct FrameFormat {
  std::string_view name;  // and the ending of its files
  std::string_view summary;
  bool readable;  // its files can be read again
};
// All of them, in the order of the documentation.
const std::vector<FrameFormat>& frame_formats();

// By the ending of the file's name. Files appear complete or not at all; one that cannot be written throws RunError, one that cannot be
// read UserError with the place in it.
void write_frame(const std::string& path, const Frame& frame, const FrameNotes& notes, const FormatOptions& options = {});
Frame read_frame(const std::string& path);

// Any PLY (ascii or binary, either endianness) with a vertex element that has x, y and, in 3D, z. Columns the file lacks stay
// empty; other properties and elements are skipped. Throws UserError naming the file and what is wrong in it.
Frame read_ply(const std::string& path);

}  // namespace firn
