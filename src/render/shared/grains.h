// The particles of a frame as the spheres that are drawn.
#pragma once

#include <cstdint>
#include <vector>

#include "firn/frame.h"
#include "render/shared/camera.h"
#include "render/shared/stage.h"

namespace firn {

// One sphere a particle, of the particle's present volume (2D: a disc of its area), in view units.
struct SnowSpheres {
  std::vector<Sphere> spheres;
  std::vector<std::uint32_t> key;  // stays with the particle from frame to frame
  std::vector<Colour> albedo;
  bool tinted = false;  // the albedo stands for something: it is to be seen in white light
  float radius = 0;     // the median
};

inline constexpr double kMostVolumeRatio = 2;  // of torn snow: to so many times V⁰ it swells

// `typical_volume` (2D: area) is used where the frame has no volumes. `colours` of all particles; empty: those of snow. Particles far
// outside the view are left out.
SnowSpheres make_spheres(const Frame& frame, const Camera& camera, double typical_volume, const std::vector<Colour>& colours);

// A simulated particle stands for many grains of snow: each of the spheres is drawn as `count` smaller ones, scattered in it.
struct DrawnParticle {
  std::uint32_t index;  // in SnowSpheres
  float packed;         // 0: alone, 1: among others
};
struct Grains {
  std::vector<Sphere> spheres;
  std::vector<DrawnParticle> particles;  // every `count` grains belong to one
  int count = 1;

  std::uint32_t particle_of(std::uint32_t grain) const { return particles[grain / static_cast<std::uint32_t>(count)].index; }
};
Grains scatter_grains(const SnowSpheres& snow, std::vector<DrawnParticle> particles, int count);

// The volume of one particle: the frame's median, or what the scene or the particles' extent suggest. Never 0.
double typical_volume(const Frame& frame, const Scenery* scenery);

}  // namespace firn
