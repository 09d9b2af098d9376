#include "render/preview/frame_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "collide/body.h"
#include "core/parallel.h"
#include "render/preview/painter.h"
#include "render/shared/canvas.h"
#include "render/shared/grains.h"
#include "render/shared/palette.h"

namespace firn {
namespace {

constexpr int kPixelSamples = 2;  // across a pixel and down: smooth edges

std::vector<Colour> paint_solid(const SnowSpheres& snow, const Scenery* scenery, const Camera& camera, double time,
                                const Projection& projection) {
  Stage stage(scenery, camera, time);
  stage.open_to(camera);
  return Painter(snow, stage, projection, camera.sun).paint(kPixelSamples);
}

}  // namespace

Image render_preview(const Frame& frame, const Scenery* scenery, const Camera& camera, const Shot& shot,
                     const std::vector<Colour>& colours) {
  const Projection projection = projection_of(camera, kPixelSamples * shot.width, kPixelSamples * shot.height);
  const SnowSpheres snow = make_spheres(frame, camera, typical_volume(frame, scenery), colours);
  const auto paint = camera.orthographic() ? paint_flat : paint_solid;
  return develop(paint(snow, scenery, camera, shot.time, projection), shot.width, shot.height, kPixelSamples, rolled_off);
}

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

double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double part : {1.0, 2.0, 5.0})
    if (part * power >= least * (1 - 1e-9)) return part * power;
  return 10 * power;
}

namespace {

constexpr int kLeastHeight = 100;    // pixels, of a picture that has room for axes
constexpr double kMostTicks = 2000;  // of the largest picture; rounding far from the origin must not make it more
// In heights of capital letters:
constexpr float kApart = 8, kTick = 0.5f, kGap = 0.5f;

std::string label_of(double metres, double step) {
  const int digits = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 9);
  return fmt::format("{:.{}f}", metres == 0 ? 0.0 : metres, digits);
}

class Axes {
 public:
  Axes(const Camera& camera, Image& image)
      : canvas_(image),
        width_(image.width),
        height_(image.height),
        capitals_(static_cast<float>(capitals_in(image))),
        metres_(2 * camera.half_height * camera.radius / image.height),
        middle_(camera.focus),
        step_(round_step(kApart * static_cast<double>(capitals_) * metres_)) {
    float widest = set_text("y, m").width;
    for_each_tick(1, [&](double, const StrokeText& label) { widest = std::max(widest, label.width); });
    inset_ = {pixels(widest + kTick + 2 * kGap), pixels(1 + kTick + 2 * kGap)};
  }

  Inset draw() {
    const int bottom = height_ - inset_.bottom;
    canvas_.fill({0, 0, inset_.left, bottom}, kPanel, kPanelCover);
    canvas_.fill({0, bottom, width_, height_}, kPanel, kPanelCover);
    const float base = static_cast<float>(height_) - capitals_ * kGap;
    const StrokeText x_name = set_text("x, m"), y_name = set_text("y, m");
    const float x_end = static_cast<float>(width_) - capitals_ * (x_name.width + kGap);
    for_each_tick(0, [&](double x, const StrokeText& label) {
      const float left = static_cast<float>(x) - 0.5f * capitals_ * label.width;
      if (x < inset_.left || left + capitals_ * (label.width + kGap) > x_end) return;
      canvas_.fill(tick(static_cast<int>(x), bottom, true), kInk);
      canvas_.write(label, left, base, capitals_);
    });
    const float y_end = capitals_ * (1 + 2 * kGap);
    for_each_tick(1, [&](double y, const StrokeText& label) {
      if (y > bottom || static_cast<float>(y) - 0.5f * capitals_ < y_end) return;
      canvas_.fill(tick(inset_.left, static_cast<int>(y), false), kInk);
      canvas_.write(label, static_cast<float>(inset_.left) - capitals_ * (kTick + kGap + label.width),
                    static_cast<float>(y) + 0.5f * capitals_, capitals_);
    });
    canvas_.write(x_name, x_end, base, capitals_);
    canvas_.write(y_name, static_cast<float>(inset_.left) - capitals_ * (kTick + kGap + y_name.width), capitals_ * (1 + kGap), capitals_);
    return inset_;
  }

 private:
  // Calls visit(its pixel, its label) for the ticks of an axis, 0: x, 1: y.
  template <class Visit>
  void for_each_tick(int axis, const Visit& visit) const {
    const double extent = axis == 0 ? width_ : height_, half = 0.5 * extent * metres_;
    const double first = std::ceil((middle_[axis] - half) / step_), last = std::floor((middle_[axis] + half) / step_);
    for (int i = 0; i <= static_cast<int>(std::min(last - first, kMostTicks)); ++i) {
      const double k = first + i;
      const double away = (k * step_ - middle_[axis]) / metres_;
      visit(0.5 * extent + (axis == 0 ? away : -away), set_text(label_of(k * step_, step_)));
    }
  }

  // A tick at the edge of the picture's free part.
  PixelBox tick(int x, int y, bool below) const {
    const int length = pixels(kTick), half = std::max(1, pixels(kStrokeWidth)) / 2, rest = std::max(1, pixels(kStrokeWidth)) - half;
    return below ? PixelBox{x - half, y, x + rest, y + length} : PixelBox{x - length, y - half, x, y + rest};
  }

  int pixels(float capitals) const { return static_cast<int>(std::lround(capitals * capitals_)); }

  Canvas canvas_;
  int width_, height_;
  float capitals_;  // their height, pixels
  double metres_;   // of a pixel
  Vec<double, 3> middle_;
  double step_;  // m, from tick to tick
  Inset inset_;
};

}  // namespace

Inset draw_axes(const Camera& camera, double time, Image& image) {
  if (!camera.orthographic() || image.height < kLeastHeight) return {};
  const double metres = camera.half_height * camera.radius;
  if (!(metres > 0) || !std::isfinite(metres + camera.focus[0] + camera.focus[1])) return {};  // of a damaged file
  const Inset inset = Axes(camera, image).draw();
  draw_label(fmt::format("{:.3f} s", time), Corner::kRight, image);
  return inset;
}

}  // namespace firn
