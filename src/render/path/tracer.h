// Pictures of snow by volumetric path tracing: light is followed backwards from the camera through the snow, scattered by it and by the
// bodies, until it gets to the sky or is lost.
#pragma once

#include <array>

#include "render/path/lights.h"
#include "render/path/medium.h"
#include "render/stage.h"

namespace firn {

// What the snow does to light.
struct SnowLook {
  Colour albedo{0.9f, 0.95f, 1.0f};  // what is left after one scattering
  float anisotropy = 0.5f;           // g
  bool coloured = false;             // the medium knows its reflectance, which is to be seen in white light, instead of the albedo
  Colour balance{1, 1, 1};           // of light that has been in snow (white_balance()); all other light keeps its colour
  Colour thin{1, 1, 1};              // of light that has hardly been in snow (thin_balance())
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
  template <class Scattering>
  void scatter_at(Path& path, const Float3& p, const Scattering& scattering) const;
  void leave(Path& path, const Lights::LampAhead& ahead) const;
  float visibility(const Ray& ray, float farthest, Rng& rng) const;

  const Medium& medium_;
  const Stage& stage_;
  Lights lights_;
  SnowLook snow_;
  // The balance comes bit by bit, as the scatterings do that make snow blue: what the n-th one adds to it, n from 0.
  static constexpr int kBalanceSteps = 32;
  std::array<Colour, kBalanceSteps> balance_steps_;
};

}  // namespace firn
