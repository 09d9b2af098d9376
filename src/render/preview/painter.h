// One three-dimensional preview: spheres in a depth map, how densely snow lies, shadows, and what light every sample is in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "render/shared/camera.h"
#include "render/shared/grains.h"
#include "render/shared/stage.h"
#include "render/shared/vector.h"

namespace firn {

// How densely snow lies where: a coarse grid and its coarser averages. It smooths the surface of packed snow and tells how much
// of the sky a point sees.

class DensityField {
 public:
  // `radius`: the spheres' typical radius.
  DensityField(const std::vector<Sphere>& spheres, float radius);

  float cell() const { return cell_; }
  // About 1 in packed snow; level l averages over cells 2^l as large.
  float at(const Float3& p, int level) const;
  // The gradient of level 0, per cell: points into the snow.
  Float3 gradient(const Float3& p) const;
  // The part of light that comes through the snow from `direction`, seen through a cone that widens with distance.
  float visibility(const Float3& p, const Float3& direction) const;
  // Behind packed snow on all sides: cannot be seen.
  bool is_buried(const Float3& p) const;
  // False where no snow is near enough to matter for visibility().
  bool is_near(const Float3& p) const;

 private:
  struct Level {
    int n[3];
    std::vector<float> value;
    std::size_t at(int i, int j, int k) const { return (static_cast<std::size_t>(k) * n[1] + j) * n[0] + i; }
  };

  void choose_grid(const std::vector<Sphere>& spheres, float radius);
  void scatter(const std::vector<Sphere>& spheres);
  void smooth();
  void add_coarser_levels();

  Float3 low_{0, 0, 0};
  float cell_ = 1;
  std::vector<Level> levels_;
};

// Spheres drawn into a depth map, pixel by pixel.

inline constexpr float kFarAway = 1e30f;  // depth where nothing was drawn

struct DepthMap {
  int width = 0, height = 0;
  std::vector<float> depth;          // of the nearest surface, view units
  std::vector<std::uint32_t> index;  // of the sphere it belongs to

  std::size_t at(int x, int y) const { return static_cast<std::size_t>(y) * width + x; }
};

// The result does not depend on the number of threads; of equally near spheres the first counts.
DepthMap splat(const std::vector<Sphere>& spheres, const Projection& projection);

// What the snow keeps from the sun: a depth map seen from the sun, read with a penumbra that widens with the distance to the
// snow that throws it.

class ShadowMap {
 public:
  // `sun`: towards it.
  ShadowMap(const std::vector<Sphere>& spheres, const Float3& sun);

  // 1: in the sun, 0: in the shadow. `bias`, view units: snow nearer to p than this does not count.
  // `turn`, 0 to 1, differs between neighbouring samples: fine noise instead of bands.
  float light(const Float3& p, float bias, float turn) const;

 private:
  Projection projection_;
  DepthMap map_;
};

class Painter {
 public:
  // `sun`: towards it.
  Painter(const SnowSpheres& snow, const Stage& stage, const Projection& projection, const Float3& sun);

  // Linear light of every sample, row by row; a pixel has `factor` × `factor` of them.
  std::vector<Colour> paint(int factor) const;

 private:
  // What one sample of the picture sees.
  struct Sight {
    Ray ray;
    int x, y;
    float t;  // along the ray, to the snow or the body
    bool snow;
    std::optional<StageHit> body;  // in front of the snow
  };
  struct SnowSurface {
    Float3 normal;
    float packed;  // 0: a lone particle, 1: part of a closed surface
  };

  Sight look(int x, int y) const;
  Colour shade(const Sight& sight) const;
  Colour shade_snow(const Sight& sight) const;
  Colour shade_body(const Sight& sight) const;
  SnowSurface snow_surface(std::uint32_t grain, const Float3& p, const Ray& ray) const;
  // The part of the sky over p that neither snow nor bodies hide; snow within `bias` does not count.
  float openness(const Float3& p, const Float3& normal, float bias) const;
  // Darkening between neighbouring grains, too small for the density grid: 0 none, 1 deep down.
  float crevice(int x, int y) const;

  const SnowSpheres& snow_;
  const Stage& stage_;
  Projection projection_;
  float subject_;  // distance of what is to be seen
  Float3 sun_;
  DensityField density_;
  Grains grains_;
  DepthMap map_;
  ShadowMap shadow_;
};

}  // namespace firn
