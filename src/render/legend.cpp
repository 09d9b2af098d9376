#include "render/legend.h"

#include <algorithm>
#include <cmath>

#include "render/canvas.h"

namespace firn {
namespace {

// In heights of capital letters:
constexpr float kMargin = 1.0f, kPadding = 0.9f, kLineGap = 0.75f, kBarWidth = 15, kBarHeight = 1.1f, kPatch = 1.1f, kAfterPatch = 0.7f;

// Puts one line under the other.
class Layout {
 public:
  Layout(const Legend& legend, Image& image, const Inset& inset) : legend_(legend), canvas_(image), capitals_(capitals_in(image)) {
    const int left = inset.left + pixels(kMargin), bottom = image.height - inset.bottom - pixels(kMargin);
    const PixelBox panel{left, bottom - pixels(height()), left + pixels(width()), bottom};
    canvas_.fill(panel, kPanel, kPanelCover);
    x_ = static_cast<float>(panel.left + pixels(kPadding));
    y_ = static_cast<float>(panel.top + pixels(kPadding));
  }

  void draw() {
    write(legend_.title, 0);
    next(1);
    if (legend_.map != nullptr) draw_bar();
    for (const Legend::Kind& kind : legend_.kinds) {
      canvas_.fill(box(kPatch, kPatch), kind.colour);
      write(kind.name, kPatch + kAfterPatch);
      next(kPatch);
    }
  }

 private:
  // Of the panel, in heights of capital letters.
  float width() const {
    float widest = std::max(set_text(legend_.title).width, legend_.map != nullptr ? kBarWidth : 0.0f);
    for (const Legend::Kind& kind : legend_.kinds) widest = std::max(widest, kPatch + kAfterPatch + set_text(kind.name).width);
    return widest + 2 * kPadding;
  }
  float height() const {
    const float bar = legend_.map != nullptr ? kBarHeight + 1 + 2 * kLineGap : 0;
    return 1 + bar + static_cast<float>(legend_.kinds.size()) * (kPatch + kLineGap) + 2 * kPadding;
  }

  void draw_bar() {
    const PixelBox bar = box(kBarWidth, kBarHeight);
    for (int x = bar.left; x < bar.right; ++x) {
      const float t = (static_cast<float>(x - bar.left) + 0.5f) / static_cast<float>(bar.right - bar.left);
      canvas_.fill({x, bar.top, x + 1, bar.bottom}, legend_.map(t));
    }
    next(kBarHeight);
    write(legend_.low, 0);
    write(legend_.middle, 0.5f * (kBarWidth - set_text(legend_.middle).width));
    write(legend_.high, kBarWidth - set_text(legend_.high).width);
  }

  // A line of text whose capitals begin at the top of the present line.
  void write(const std::string& text, float x) {
    const float capitals = static_cast<float>(capitals_);
    canvas_.write(set_text(text), x_ + capitals * x, y_ + capitals, capitals);
  }
  void next(float line) { y_ += static_cast<float>(pixels(line) + pixels(kLineGap)); }
  PixelBox box(float wide, float high) const {
    const int left = static_cast<int>(x_), top = static_cast<int>(y_);
    return {left, top, left + pixels(wide), top + pixels(high)};
  }
  int pixels(float capitals) const { return static_cast<int>(std::lround(capitals * static_cast<float>(capitals_))); }

  const Legend& legend_;
  Canvas canvas_;
  int capitals_;         // pixels
  float x_ = 0, y_ = 0;  // where the next line begins, pixels
};

}  // namespace

void draw_legend(const Legend& legend, Image& image, const Inset& inset) { Layout(legend, image, inset).draw(); }

}  // namespace firn
