// Small scenes and frames for the tests of this folder.
#pragma once

#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>

#include "firn/frame.h"
#include "firn/scene.h"
#include "render/preview/frame_picture.h"
#include "render/shared/shoot.h"

namespace firn::test {

inline constexpr int kWidth = 192, kHeight = 108;

inline void add_particle(Frame& f, const std::array<double, 3>& x, double volume) {
  f.id.push_back(static_cast<std::uint32_t>(f.id.size()));
  f.position.push_back(x);
  f.velocity.push_back({0, 0, 0});
  f.mass.push_back(400 * volume);
  f.volume.push_back(volume);
  f.jp.push_back(1);
  f.je.push_back(1);
  f.material.push_back(0);
}

// Jittered particles in a ball of radius 0.1 m, or in the disc that is its section.
inline Frame make_ball(const std::array<double, 3>& center, int dimension = 3, double spacing = 0.008) {
  constexpr double kRadius = 0.1;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> jitter(-0.5 * spacing, 0.5 * spacing);
  const int n = static_cast<int>(kRadius / spacing) + 1, nz = dimension == 3 ? n : 0;
  Frame f;
  for (int i = -n; i <= n; ++i)
    for (int j = -n; j <= n; ++j)
      for (int k = -nz; k <= nz; ++k) {
        const double r[3] = {i * spacing + jitter(random), j * spacing + jitter(random), dimension == 3 ? k * spacing + jitter(random) : 0};
        if (std::hypot(r[0], r[1], r[2]) > kRadius) continue;
        add_particle(f, {center[0] + r[0], center[1] + r[1], center[2] + r[2]}, std::pow(spacing, dimension));
      }
  return f;
}

inline Collider make_plane(const Vector& point, const Vector& normal) {
  Collider c;
  c.shape.kind = ShapeKind::kPlane;
  c.shape.point = point;
  c.shape.normal = normal;
  return c;
}

inline Collider make_box(const Vector& center, const Vector& size) {
  Collider c;
  c.shape.kind = ShapeKind::kBox;
  c.shape.center = center;
  c.shape.size = size;
  return c;
}

inline Scene make_floor(int dimension = 3) {
  Scene scene;
  scene.simulation.dimension = dimension;
  scene.simulation.spacing = 0.01;
  scene.colliders.push_back(make_plane({0, 0, 0}, {0, 1, 0}));
  return scene;
}

// A scene with its bodies, or none, for as long as a call takes.
class Staged {
 public:
  explicit Staged(const Scene* scene) {
    if (scene != nullptr) scenery_.emplace(*scene);
  }
  explicit Staged(const Scene& scene) : Staged(&scene) {}
  operator const Scenery*() const { return scenery_ ? &*scenery_ : nullptr; }

 private:
  std::optional<Scenery> scenery_;
};

inline Camera camera_for(const Frame& frame, const Scene* scene) {
  const Staged staged(scene);
  Subject subject;
  subject.add(frame, staged, 0);
  return fit_camera(subject, staged, static_cast<double>(kWidth) / kHeight);
}

inline Image picture_of(const Frame& frame, const Scene* scene, double time = 0) {
  return render_preview(frame, Staged(scene), camera_for(frame, scene), {time, kWidth, kHeight});
}

struct Pixel {
  int r, g, b;
  int brightness() const { return (r + g + b) / 3; }
};
inline Pixel pixel_at(const Image& image, int x, int y) {
  const std::uint8_t* p = image.rgb.data() + 3 * (static_cast<std::size_t>(y) * image.width + x);
  return {p[0], p[1], p[2]};
}
// The pixel that shows a point of the world.
inline Pixel pixel_of(const Image& image, const Camera& camera, const Vec<double, 3>& x) {
  const Splat s = projection_of(camera, image.width, image.height).project({camera.to_view(x), 0});
  if (!(s.x >= 0 && s.x < image.width && s.y >= 0 && s.y < image.height)) throw std::out_of_range("the point is not in the picture");
  return pixel_at(image, static_cast<int>(s.x), static_cast<int>(s.y));
}

// Pixels as bright as sunlit snow; nothing else in the pictures is.
inline int count_white(const Image& image) {
  int count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) count += pixel_at(image, x, y).brightness() > 190;
  return count;
}

}  // namespace firn::test
