#include "render/flat.h"

#include <algorithm>
#include <cmath>

#include "collide/body.h"
#include "core/parallel.h"
#include "render/density.h"
#include "render/splat.h"

namespace firn {
namespace {

constexpr Colour kPaperTop{0.030f, 0.045f, 0.075f}, kPaperBottom{0.055f, 0.075f, 0.110f};
constexpr Colour kBodyFill{0.115f, 0.105f, 0.100f}, kBodyEdge{0.42f, 0.36f, 0.30f};
constexpr float kEdgePixels = 3;  // samples
constexpr float kCover = 1.25f;   // discs overlap by this much, to close the gaps of a random packing
constexpr float kClosed = 0.13f;  // density from which on what gaps remain between discs are snow too
constexpr float kGapReach = 3;    // in a gap, the nearest disc that would reach there if it were so many times larger shows its colour
constexpr float kGapBrightness = 0.8f;
constexpr float kBevel = 1.6f;  // how strongly the rim of packed snow catches the light
constexpr Float3 kLamp{-0.55f, 0.83f, 0};

// The sections of bodies through the plane; points are metres from the camera's focus.
class FlatBodies {
 public:
  FlatBodies(const Scenery* scenery, const Camera& camera, double time) : focus_(convert_vec<double, 2>(camera.focus)) {
    if (scenery == nullptr) return;
    std::vector<BodyModel> visible;
    for (std::size_t i = 0; i < scenery->bodies.size(); ++i)
      if (scenery->scene.colliders[i].visible) visible.push_back(scenery->bodies[i]);
    bodies_ = freeze<double, 2>(visible, time);
    h_ = scenery->scene.simulation.spacing;
  }

  double nearest(const Vec<double, 2>& x, double farthest) const {
    const LatticePoint<double, 2> p = to_lattice<double, 2>(x + focus_, h_, false);
    for (const Body<double, 2>& body : bodies_.list) farthest = std::min(farthest, probe(body, p.cell, p.offset, h_).phi);
    return farthest;
  }

 private:
  Bodies<double, 2> bodies_;
  Vec<double, 2> focus_;
  double h_ = 1;
};

// Everything that is not snow. `x`: metres from the focus; `pixel`: a sample's size there.
Colour paint_ground(const FlatBodies& bodies, const Vec<double, 2>& x, double pixel, float height) {
  const double nearest = bodies.nearest(x, kEdgePixels * pixel);
  const Colour paper = mix(kPaperBottom, kPaperTop, height);
  if (nearest >= pixel) return paper;
  const float depth = static_cast<float>(-nearest / pixel);
  return mix(kBodyEdge, kBodyFill, smoothstep(kEdgePixels, 2 * kEdgePixels, depth));
}

float bevel(const DensityField& density, const Float3& p) { return clamp(-kBevel * dot(density.gradient(p), kLamp), -0.25f, 0.25f); }

Colour paint_disc(const SnowSpheres& snow, std::uint32_t index, const DensityField& density, const Float3& p) {
  const Float3 offset = p - snow.spheres[index].center;
  const float across = norm(offset) / (kCover * snow.spheres[index].radius);
  return (1 - 0.14f * min(across * across, 1.0f) + bevel(density, p)) * snow.albedo[index];
}

DepthMap splat_discs(const SnowSpheres& snow, float enlarged, const Projection& projection) {
  std::vector<Sphere> discs = snow.spheres;
  for (Sphere& disc : discs) disc.radius *= enlarged;
  return splat(discs, projection);
}

}  // namespace

std::vector<Colour> paint_flat(const SnowSpheres& snow, const Scenery* scenery, const Camera& camera, double time,
                               const Projection& projection) {
  const DepthMap map = splat_discs(snow, kCover, projection), gaps = splat_discs(snow, kGapReach, projection);
  const DensityField density(snow.spheres, snow.radius);
  const FlatBodies bodies(scenery, camera, time);
  const double pixel = camera.radius / projection.scale;
  std::vector<Colour> light(map.depth.size());
  parallel_for(map.height, [&](int y) {
    for (int x = 0; x < map.width; ++x) {
      Float3 p = projection.ray(x, y).origin;
      p[2] = 0;
      const std::size_t i = map.at(x, y);
      const float height = 1 - static_cast<float>(y) / static_cast<float>(map.height);
      if (map.depth[i] < kFarAway) {
        light[i] = paint_disc(snow, map.index[i], density, p);
      } else if (gaps.depth[i] < kFarAway && density.at(p, 0) > kClosed) {
        light[i] = (kGapBrightness + bevel(density, p)) * snow.albedo[gaps.index[i]];
      } else {
        light[i] = paint_ground(bodies, {camera.radius * p[0], camera.radius * p[1]}, pixel, height);
      }
    }
  });
  return light;
}

}  // namespace firn
