// Pictures of snow by volumetric path tracing: the medium, the paths through it, and pictures that get better pass by pass.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firn/frame.h"
#include "frame/rasterize.h"
#include "render/path/lights.h"
#include "render/path/picture.h"
#include "render/path/scattering.h"
#include "render/shared/camera.h"
#include "render/shared/stage.h"

namespace firn {

// Snow as light sees it: extinction on a grid, in view units.

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
  // From snow_voxels() with the same settings; the voxels are not needed any more afterwards.
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

// What the snow does to light.
struct SnowLook {
  Colour albedo{0.9f, 0.95f, 1.0f};  // what is left after one scattering
  float anisotropy = 0.5f;           // g
  bool coloured = false;             // the medium knows its reflectance, which is to be seen in white light, instead of the albedo
};

class PathTracer {
 public:
  PathTracer(const Medium& medium, const Stage& stage, const Lights& lights, const SnowLook& snow);

  // What one path from the camera brings, and what it met first.
  struct Sample {
    Colour light = Colour::zero();
    Colour albedo{1, 1, 1};
    Float3 normal = Float3::zero();
    float depth = 0;
  };
  // `footprint`: a pixel's size at distance 1.
  Sample trace(Ray ray, float footprint, Rng& rng) const;

 private:
  struct Path;
  bool go_on(Path& path) const;
  void meet_snow(Path& path, float t) const;
  Colour snow_albedo(const Float3& p) const;
  void meet_body(Path& path, const StageHit& hit) const;
  void fade(Path& path, float t) const;
  template <class Scattering>
  void scatter_at(Path& path, const Float3& p, const Scattering& scattering) const;
  void leave(Path& path, const Lights::LampAhead& ahead) const;
  float visibility(const Ray& ray, float farthest, Rng& rng) const;

  const Medium& medium_;
  const Stage& stage_;
  Lights lights_;
  SnowLook snow_;
};

// A picture that gets better with every pass.

struct PictureSize {
  int width = 960, height = 540;
  std::uint32_t seed = 1;
};

// While the shutter is open: where things and the camera are.
struct Moment {
  PathTracer tracer;
  Camera camera;
};

// The same for any number of threads, and however its samples are divided into passes.
class ProgressivePicture {
 public:
  // The samples of a pixel see one moment after the other, again and again.
  ProgressivePicture(std::vector<Moment> moments, const PictureSize& size);

  // `samples` more for every pixel. `progress` gets the part that is done, now and then, and may return false to stop: some tiles then
  // have got theirs and others have not. Returns whether all have.
  bool add(int samples, const std::function<bool(double fraction)>& progress);
  // The samples of the pixels that have got the fewest.
  int samples() const;
  // Every pixel must have a sample.
  TracedPicture picture() const;

 private:
  // Sums over the samples of a pixel.
  struct Sums {
    Colour light = Colour::zero(), squares = Colour::zero(), albedo = Colour::zero();
    Float3 normal = Float3::zero();
    float depth = 0, squared_albedo = 0, squared_depth = 0;
  };
  template <class Visit>
  void for_each_pixel(int tile, Visit visit) const;
  void add_to_tile(int tile, int samples);

  std::vector<Moment> moments_;
  std::vector<Projection> projections_;  // of the moments' cameras
  PictureSize size_;
  int across_;               // tiles
  std::vector<int> counts_;  // samples of the pixels of a tile
  std::vector<Sums> sums_;
};

}  // namespace firn
