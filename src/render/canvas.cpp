#include "render/canvas.h"

#include <algorithm>
#include <cmath>

#include "render/srgb.h"

namespace firn {
namespace {

constexpr int kPictureHeight = 45;                // of the picture, in heights of capital letters
constexpr int kLeastCapitals = 7;                 // pixels; smaller ones cannot be read
constexpr float kMargin = 0.8f, kPadding = 0.7f;  // of labels, in heights of capital letters

float distance(const Vec<float, 2>& p, const Stroke& s) {
  const Vec<float, 2> along = s.to - s.from, to_p = p - s.from;
  const float length2 = dot(along, along);
  const float t = length2 > 0 ? clamp(dot(to_p, along) / length2, 0.0f, 1.0f) : 0.0f;
  return norm(to_p - t * along);
}

}  // namespace

int capitals_in(const Image& image) {
  return std::max(kLeastCapitals, static_cast<int>(std::lround(image.height / double{kPictureHeight})));
}

void Canvas::blend(int x, int y, const Colour& colour, float cover) {
  if (x < 0 || y < 0 || x >= image_.width || y >= image_.height || cover <= 0) return;
  std::uint8_t* pixel = image_.rgb.data() + 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.width) + x);
  for (int c = 0; c < 3; ++c) pixel[c] = to_byte(mix(from_byte(pixel[c]), colour[c], cover));
}

void Canvas::fill(const PixelBox& box, const Colour& colour, float cover) {
  for (int y = box.top; y < box.bottom; ++y)
    for (int x = box.left; x < box.right; ++x) blend(x, y, colour, cover);
}

void Canvas::write(const StrokeText& text, float x, float y, float capitals) {
  const float reach = std::max(0.5f * kStrokeWidth * capitals, 0.55f);  // thinner ones would fade
  const PixelBox box{static_cast<int>(x - 2 * reach), static_cast<int>(y - capitals - 2 * reach),
                     static_cast<int>(x + capitals * text.width + 2 * reach) + 2,
                     static_cast<int>(y + kDescent * capitals + 2 * reach) + 2};
  for (int v = box.top; v < box.bottom; ++v)
    for (int u = box.left; u < box.right; ++u) {
      const Vec<float, 2> p{(static_cast<float>(u) + 0.5f - x) / capitals, (y - static_cast<float>(v) - 0.5f) / capitals};
      float nearest = 1;
      for (const Stroke& stroke : text.strokes) nearest = std::min(nearest, distance(p, stroke));
      blend(u, v, kInk, clamp(reach + 0.5f - capitals * nearest, 0.0f, 1.0f));
    }
}

void draw_label(const std::string& text, Corner corner, Image& image, int taken) {
  const float capitals = static_cast<float>(capitals_in(image));
  const StrokeText letters = set_text(text);
  const auto pixels = [&](float x) { return static_cast<int>(std::lround(capitals * x)); };
  const int width = pixels(letters.width + 2 * kPadding), height = pixels(1 + 2 * kPadding), margin = pixels(kMargin);
  const int left = corner == Corner::kLeft ? taken + margin : image.width - margin - width;
  Canvas canvas(image);
  canvas.fill({left, margin, left + width, margin + height}, kPanel, kPanelCover);
  canvas.write(letters, static_cast<float>(left) + capitals * kPadding, static_cast<float>(margin) + capitals * (1 + kPadding), capitals);
}

}  // namespace firn
