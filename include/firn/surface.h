// A smooth surface around a frame's snow, for programs that render surfaces.
#pragma once

#include <cstddef>
#include <string>

#include "firn/frame.h"

namespace firn {

struct SurfaceOptions {
  double voxel = 0;          // m, edge of the surface's squares; 0: 0.9 radii of a typical particle, about 0.28 of the run's spacing
  double radius = 0;         // m, of every particle; 0: that of its present volume
  double spacing = 0;        // h, m, of the run's grid: tells the size of particles without volumes, eight to a cell; 0: not known
  double radius_factor = 1;  // times the radius: above 1 snow swells
  double smoothing = 4.5;    // how far a particle's snow is spread, in its radii: less shows single particles, more rounds edges off
  double adaptivity = 0;     // 0 to 1: larger triangles where the surface is flat; 0: all alike
};
inline constexpr double kLeastSmoothing = 2.5, kMostSmoothing = 20;

struct SurfaceReport {
  std::size_t vertices = 0, triangles = 0;
  double area = 0;           // m²
  double volume = 0;         // m³
  std::size_t left_out = 0;  // loose particles smaller than a voxel
};

// The closed surface of the frame's snow as triangles with normals, facing outwards, to a file that ends in .obj or .ply. Without
// particles the file has no triangles. The bytes do not depend on the number of threads. Throws UserError for a 2D frame, particles of
// unknown size, an option out of its range or a voxel too small for the memory; RunError when the file cannot be written.
SurfaceReport write_surface(const std::string& path, const Frame& frame, const SurfaceOptions& options = {});

}  // namespace firn
