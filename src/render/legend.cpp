#include "render/legend.h"

#include <algorithm>
#include <cmath>

#include "render/srgb.h"
#include "render/stroke_text.h"

namespace firn {
namespace {

constexpr Colour kPanel{0.012f, 0.014f, 0.018f}, kInk{0.86f, 0.88f, 0.90f};
constexpr float kPanelCover = 0.72f;  // what is behind shows through
constexpr int kPictureHeight = 45;    // of the picture, in heights of capital letters
constexpr int kLeastCapitals = 7;     // pixels; smaller ones cannot be read
// In heights of capital letters:
constexpr float kMargin = 1.0f, kPadding = 0.9f, kLineGap = 0.75f, kBarWidth = 15, kBarHeight = 1.1f, kPatch = 1.1f, kAfterPatch = 0.7f;

struct Box {
  int left, top, right, bottom;  // pixels, half open
};

// Draws in linear light on a picture that is finished; nothing outside of it.
class Canvas {
 public:
  explicit Canvas(Image& image) : image_(image) {}

  void blend(int x, int y, const Colour& colour, float cover) {
    if (x < 0 || y < 0 || x >= image_.width || y >= image_.height || cover <= 0) return;
    std::uint8_t* pixel = image_.rgb.data() + 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.width) + x);
    for (int c = 0; c < 3; ++c) pixel[c] = to_byte(mix(from_byte(pixel[c]), colour[c], cover));
  }

  void fill(const Box& box, const Colour& colour, float cover = 1) {
    for (int y = box.top; y < box.bottom; ++y)
      for (int x = box.left; x < box.right; ++x) blend(x, y, colour, cover);
  }

  // `x`, `y`: the left end of the base line.
  void write(const StrokeText& text, float x, float y, float capitals) {
    const float reach = std::max(0.5f * kStrokeWidth * capitals, 0.55f);  // thinner ones would fade
    const Box box{static_cast<int>(x - 2 * reach), static_cast<int>(y - capitals - 2 * reach),
                  static_cast<int>(x + capitals * text.width + 2 * reach) + 2, static_cast<int>(y + kDescent * capitals + 2 * reach) + 2};
    for (int v = box.top; v < box.bottom; ++v)
      for (int u = box.left; u < box.right; ++u) {
        const Vec<float, 2> p{(static_cast<float>(u) + 0.5f - x) / capitals, (y - static_cast<float>(v) - 0.5f) / capitals};
        float nearest = 1;
        for (const Stroke& stroke : text.strokes) nearest = std::min(nearest, distance(p, stroke));
        blend(u, v, kInk, clamp(reach + 0.5f - capitals * nearest, 0.0f, 1.0f));
      }
  }

 private:
  static float distance(const Vec<float, 2>& p, const Stroke& s) {
    const Vec<float, 2> along = s.to - s.from, to_p = p - s.from;
    const float length2 = dot(along, along);
    const float t = length2 > 0 ? clamp(dot(to_p, along) / length2, 0.0f, 1.0f) : 0.0f;
    return norm(to_p - t * along);
  }

  Image& image_;
};

// Puts one line under the other.
class Layout {
 public:
  Layout(const Legend& legend, Image& image)
      : legend_(legend),
        canvas_(image),
        capitals_(std::max(kLeastCapitals, static_cast<int>(std::lround(image.height / double{kPictureHeight})))) {
    const Box panel{pixels(kMargin), image.height - pixels(kMargin) - pixels(height()), pixels(kMargin) + pixels(width()),
                    image.height - pixels(kMargin)};
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
    const Box bar = box(kBarWidth, kBarHeight);
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
  Box box(float wide, float high) const {
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

void draw_legend(const Legend& legend, Image& image) { Layout(legend, image).draw(); }

}  // namespace firn
