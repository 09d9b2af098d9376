// What the snow keeps from the sun: a depth map seen from the sun, read with a penumbra that widens with the distance to the
// snow that throws it.
#pragma once

#include <vector>

#include "render/splat.h"

namespace firn {

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

}  // namespace firn
