// One three-dimensional picture: what every sample of it sees, and in what light.
#pragma once

#include <optional>
#include <vector>

#include "render/density.h"
#include "render/grains.h"
#include "render/shadow.h"
#include "render/splat.h"
#include "render/stage.h"

namespace firn {

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
