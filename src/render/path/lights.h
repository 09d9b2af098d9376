// Where light comes from: sun and sky by formula or picture, lamps, and how a path finds them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "firn/scene.h"
#include "render/path/scattering.h"
#include "render/shared/camera.h"
#include "render/shared/vector.h"

namespace firn {

// The light outdoors: a sun and a sky that changes from the horizon up.

struct Daylight {
  Float3 sun{0, 1, 0};  // towards it
  // The sun is as warm as the sky is blue: on level ground both together are white, and the shade, which has the sky alone, is blue.
  Colour sunlight{4.4f, 4.0f, 3.5f};  // what a surface that faces it gets; a white one then has 1 / pi of it
  float sun_sine = 0.012f;            // of its radius; twice the true one, for softer shadows with few samples
  Colour zenith{0.10f, 0.15f, 0.26f};
  Colour horizon{0.38f, 0.45f, 0.54f};
  Colour below{0.12f, 0.12f, 0.13f};  // of the sphere's lower half, where there is no ground

  // Radiance from there, without the sun's disc.
  Colour sky(const Float3& direction) const {
    const float y = direction[1];
    if (y < 0) return mix(horizon, below, smoothstep(0, 0.25f, -y));
    return mix(horizon, zenith, std::pow(y, 0.55f));
  }

  // A point of the sun's disc; u and v uniform in [0, 1).
  Float3 towards_sun(float u, float v) const {
    const float lowest = std::sqrt(1 - sun_sine * sun_sine);
    return direction_about(sun, 1 - u * (1 - lowest), v);
  }

  // A light that is the same from everywhere.
  static Daylight even(const Colour& radiance) {
    Daylight light;
    light.sunlight = Colour::zero();
    light.zenith = light.horizon = light.below = radiance;
    return light;
  }
};

// Draws one of many by chance, in a time that does not depend on how many there are (Walker 1977, built as by Vose 1991).

class AliasTable {
 public:
  // In proportion to the weights, of which none is below 0; if all are 0, evenly. Fewer than 2³².
  explicit AliasTable(const std::vector<float>& weights);

  std::size_t draw(Rng& rng) const {
    const std::size_t i = (rng.next() >> 32) * entries_.size() >> 32;
    return rng.uniform() < entries_[i].own ? i : entries_[i].other;
  }
  double sum() const { return sum_; }  // of the weights
  float chance(std::size_t i) const { return entries_[i].chance; }

 private:
  // A place of the table has room for the mean weight: its own, filled up with what another one has too much.
  struct Entry {
    float chance;  // of being drawn at all
    float own;     // part of the place
    std::uint32_t other;
  };
  std::vector<Entry> entries_;
  double sum_;
};

// Pictures of light that has no upper end: OpenEXR and Radiance (.hdr) files.

struct HdrImage {
  int width = 0, height = 0;
  std::vector<Colour> pixels;  // row by row from the top, linear, with the primaries of sRGB

  std::size_t at(int x, int y) const { return static_cast<std::size_t>(y) * width + x; }
};

// What kind of file it is, its bytes say. Negative numbers, which programs leave when they resample pictures, become 0. Throws UserError
// with what is wrong: a damaged file, another kind of file, other primaries, more pixels than kMostHdrPixels, numbers that are infinite or
// none.
HdrImage read_hdr_image(const std::string& path);

inline constexpr std::size_t kMostHdrPixels = std::size_t{1} << 27;  // 16384 × 8192, the largest skies there are

// What is wrong is a std::runtime_error that does not name the file.
void check_hdr_size(long long width, long long height);
inline constexpr const char* kOtherPrimaries = "its primaries are not those of sRGB, convert it to linear sRGB";
// Radiance files, from their bytes.
bool is_radiance(std::string_view bytes);
HdrImage parse_radiance(std::string_view bytes);

// A sky from a picture of all directions, a full turn wide and half a turn high (equirectangular). Its middle is at -z, +x to the right of
// it.

class SkyImage {
 public:
  // Turned by `degrees` about +y, its light times `strength`. Throws UserError when the picture is not twice as wide as high.
  SkyImage(HdrImage image, double degrees, double strength);

  // The light from there; linear between the middles of pixels.
  Colour radiance(const Float3& direction) const;
  // A direction; bright ones are chosen more often.
  Float3 choose(Rng& rng) const;
  // The probability density with which choose() chooses this direction, per steradian.
  float pdf(const Float3& direction) const;
  // Luminance from everywhere.
  float fluence() const { return static_cast<float>(table_.sum()); }

 private:
  // In pixels from the upper left corner.
  struct Place {
    float x, y;
  };
  Place place_of(const Float3& direction) const;
  std::vector<float> cell_fluences() const;
  double solid_angle(int row, int rows) const;  // of a pixel or cell, of so many rows

  HdrImage image_;
  float turn_;        // part of a full one
  int edge_;          // pixels along a cell, across and down
  AliasTable table_;  // of the cells
};

// Lights of some extent, in view units. From behind they are not there. Each kind has the same three members: sample(), hit() and
// solid_angle().

// A way from a point to a lamp.
struct LampSample {
  Float3 direction;
  float distance;
  float pdf;  // per steradian; 0: the point is behind the lamp
};

// Where a ray meets a lamp.
struct LampHit {
  float t;
  Float3 normal;
  float pdf;  // with which sample() chooses the ray's direction at its origin
};

// A rectangle or a disc.
class FlatLamp {
 public:
  struct Place {
    Float3 center, normal, right, up;  // each of length 1, across each other
  };
  // `half`: of width and height, or the disc's radius twice.
  FlatLamp(const Place& place, float half_width, float half_height, bool is_disc);

  // u and v uniform in [0, 1).
  LampSample sample(const Float3& p, float u, float v) const;
  std::optional<LampHit> hit(const Ray& ray) const;
  // About the solid angle as which it is seen from p.
  float solid_angle(const Float3& p) const;

 private:
  float pdf(float distance, float cosine) const { return distance * distance / (area_ * cosine); }

  Place place_;
  float half_width_, half_height_;
  bool is_disc_;
  float area_;
};

class BallLamp {
 public:
  explicit BallLamp(const Sphere& sphere) : sphere_(sphere) {}

  LampSample sample(const Float3& p, float u, float v) const;
  std::optional<LampHit> hit(const Ray& ray) const;
  float solid_angle(const Float3& p) const;

 private:
  Sphere sphere_;
};

struct Lamp {
  std::variant<FlatLamp, BallLamp> form;
  Colour radiance;
};

inline constexpr float kBeyond = 1e6f;  // view units: farther than anything

struct LightSample {
  Float3 direction;  // towards the light
  float distance;    // view units
  Colour light;      // radiance over the pdf of the direction
  float pdf;         // per steradian; 0: no path finds this light by chance, such as the sun's
};

// Light that a path has found.
struct FoundLight {
  Colour radiance;
  float pdf;  // with which sample() chooses the same way to it; 0: never
};

// A path gets light in two ways: at every scattering it asks for a sample of the lights, and where it meets a lamp or leaves the scene it
// takes what shines there. Where a light can be had both ways, the two share it by how likely each was to find it (Veach and Guibas 1995,
// the power heuristic), so that nothing counts twice.

class Lights {
 public:
  // `sky`: instead of the daylight's, null: none. It is not copied.
  Lights(const Daylight& daylight, const SkyImage* sky = nullptr, std::vector<Lamp> lamps = {});

  // For light at p, of one light by chance. The daylight's sky is none of them: it is nearly even, so paths find it as well by themselves.
  LightSample sample(const Float3& p, Rng& rng) const;

  // The first lamp on the ray's way.
  struct LampAhead {
    const Lamp* lamp = nullptr;  // null: there is none
    LampHit hit{std::numeric_limits<float>::infinity(), {0, 0, 0}, 0};
  };
  LampAhead lamp_ahead(const Ray& ray) const;
  // The sky's radiance behind what is far away: in that direction, or at the horizon above it.
  Colour backdrop(const Float3& direction) const;
  // What shines along a ray that meets nothing else: the lamp, or what is beyond.
  FoundLight found(const Ray& ray, const LampAhead& ahead) const;

 private:
  // Luminance that would come to p with nothing in the way: the chance of a light to be sampled is in proportion to it.
  float sun_fluence() const { return luminance(daylight_.sunlight); }
  float sky_fluence() const { return sky_ != nullptr ? sky_->fluence() : 0; }
  float lamp_fluence(const Lamp& lamp, const Float3& p) const;
  float fluence(const Float3& p) const;

  LightSample sample_sun(Rng& rng) const;
  LightSample sample_sky(Rng& rng) const;
  LightSample sample_lamp(const Lamp& lamp, const Float3& p, Rng& rng) const;

  Daylight daylight_;
  const SkyImage* sky_;
  std::vector<Lamp> lamps_;
};

// The part that counts of a light found with `pdf`, when another way finds it with `other` (the power heuristic).
inline float share(float pdf, float other) {
  if (other == 0) return 1;
  const float ratio = other / pdf;
  return 1 / (1 + ratio * ratio);
}

// The lights that a scene asks for in [render].

// The picture of the sky, which serves all pictures of a film. Throws UserError at its key.
std::optional<SkyImage> scene_sky(const RenderSettings& settings);

// In the camera's units. `sky` is not copied; null: there is none.
Lights scene_lights(const RenderSettings& settings, const Camera& camera, const SkyImage* sky);

}  // namespace firn
