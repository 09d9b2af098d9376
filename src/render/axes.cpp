#include "render/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/canvas.h"

namespace firn {
namespace {

constexpr int kLeastHeight = 100;    // pixels, of a picture that has room for axes
constexpr double kMostTicks = 2000;  // of the largest picture; rounding far from the origin must not make it more
// In heights of capital letters:
constexpr float kApart = 8, kTick = 0.5f, kGap = 0.5f;

// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double part : {1.0, 2.0, 5.0})
    if (part * power >= least * (1 - 1e-9)) return part * power;
  return 10 * power;
}

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

  // At the edge of the picture's free part.
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
