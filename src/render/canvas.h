// Labels on a picture that is finished: text and panels behind it.
#pragma once

#include <string>

#include "render/image.h"
#include "render/stroke_text.h"

namespace firn {

inline constexpr Colour kPanel{0.012f, 0.014f, 0.018f}, kInk{0.86f, 0.88f, 0.90f};
inline constexpr float kPanelCover = 0.72f;  // what is behind shows through

// The height of capital letters that suits a picture, pixels.
int capitals_in(const Image& image);

struct PixelBox {
  int left, top, right, bottom;  // half open
};

// Draws in linear light; nothing outside of the picture.
class Canvas {
 public:
  explicit Canvas(Image& image) : image_(image) {}

  void blend(int x, int y, const Colour& colour, float cover);
  void fill(const PixelBox& box, const Colour& colour, float cover = 1);
  // `x`, `y`: the left end of the base line, pixels; `capitals`: their height.
  void write(const StrokeText& text, float x, float y, float capitals);

 private:
  Image& image_;
};

// A word or two on a panel, in an upper corner of the picture.
enum class Corner { kLeft, kRight };
// `taken`: pixels at the left edge that are.
void draw_label(const std::string& text, Corner corner, Image& image, int taken = 0);

}  // namespace firn
