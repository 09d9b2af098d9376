// What the particles are at one moment, as written to and read from files: plain columns in double precision.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace firn {

struct Frame {
  std::vector<std::uint32_t> id;  // input order
  std::vector<std::array<double, 3>> position;
  std::vector<std::array<double, 3>> velocity;
  std::vector<double> mass;
  std::vector<double> volume;  // V⁰
  std::vector<double> jp;      // J_P
  std::vector<double> je;      // J_E
  std::vector<std::uint16_t> material;
  std::vector<std::array<double, 9>> fe;  // F_E row by row; empty unless the frame is a complete state
  std::vector<std::array<double, 9>> b;   // APIC's B row by row; empty without APIC
  // Parameters of particles that differ from their material's; empty unless the frame is a complete state of such a run.
  std::vector<double> stiffness;  // times the material's young_modulus
  std::vector<double> hardening;
  std::vector<double> critical_compression;
  std::vector<double> critical_stretch;
  std::vector<double> young_modulus;  // Pa; files may have it instead of stiffness

  std::size_t size() const { return position.size(); }
};

struct PlyOptions {
  bool double_precision = false;  // property type of the real numbers
  bool complete = false;          // also F_E and, when the frame has them, B and the parameters
};

// Binary little-endian PLY, written under a temporary name and renamed, rows in id order. Throws RunError.
void write_ply(const std::string& path, const Frame& frame, const PlyOptions& options);

// Any PLY (ascii or binary, either endianness) with a vertex element that has x, y and, in 3D, z. Columns the file lacks stay
// empty; other properties and elements are skipped. Throws UserError naming the file and what is wrong in it.
Frame read_ply(const std::string& path);

}  // namespace firn
