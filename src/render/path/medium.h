// Snow as light sees it: extinction on a grid, in view units.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/frame.h"
#include "io/rasterize.h"
#include "render/camera.h"
#include "render/path/random.h"

namespace firn {

struct MediumSettings {
  double voxel = 0;                 // m
  double particle = 0;              // m, edge of the cube that a particle stands for: it is drawn as grains of about a voxel
  double extinction = 724;          // 1/m at 400 kg/m³, the paper's packed snow
  double blur = 0;                  // s, of motion: how long the shutter is open
  std::size_t particles = 0;        // of the film's largest frame, so that all frames have as many grains a particle
  std::string frame = "the frame";  // what errors call it
};

// The snow on the voxels that light goes through, by the cubic kernel. `colours` of all particles, their reflectance: its mean, weighted by
// mass, is then what the nodes have as velocity; empty: the snow has no colours of its own. Throws UserError when the frame has no masses,
// no velocities to blur by, or the voxel is too small for its extent.
NodeFields snow_voxels(const Frame& frame, const MediumSettings& settings, const std::vector<Colour>& colours = {});

class Medium {
 public:
  // Of snow_voxels() with the same settings, which are not needed any more afterwards.
  Medium(const NodeFields& snow, const Camera& camera, const MediumSettings& settings);
  // A box of even extinction, per view unit: what tests know the answer of.
  Medium(const Float3& low, const Float3& high, float extinction, int voxels);
  ~Medium();
  Medium(Medium&&) noexcept;

  // Per view unit.
  float extinction(const Float3& p) const;
  // The mean over the mass about p, where there is any; of coloured snow only.
  Colour reflectance(const Float3& p) const;
  // Points into the snow; not of length 1.
  Float3 gradient(const Float3& p) const;

  // How far a photon gets along the ray before it meets snow, without any error (delta tracking); nothing: beyond `farthest`.
  std::optional<float> collide(const Ray& ray, float farthest, Rng& rng) const;
  // An estimate of the part of light that gets through, right in the mean (ratio tracking).
  float transmittance(const Ray& ray, float farthest, Rng& rng) const;

 private:
  struct Grid;
  std::unique_ptr<const Grid> grid_;
};

}  // namespace firn
