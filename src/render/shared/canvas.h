// Labels on a picture that is finished: letters made of strokes, and panels behind them.
#pragma once

#include <string>
#include <vector>

#include "math/vec.h"
#include "render/shared/image.h"

namespace firn {

// Letters made of strokes, for labels in pictures: no font file is needed, and any size is as sharp as it can be.

// From one point to another; x to the right and y up from the left end of the base line, in heights of capital letters. Equal ends: a dot.
struct Stroke {
  Vec<float, 2> from, to;
};

struct StrokeText {
  std::vector<Stroke> strokes;
  float width = 0;
};

inline constexpr float kStrokeWidth = 0.14f;  // that suits the letters
inline constexpr float kDescent = 0.4f;       // how far letters reach below the base line, with their strokes

// `text` is UTF-8. Printable ASCII and ³; every other letter is an empty box.
StrokeText set_text(const std::string& text);

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
  // Straight and with round ends; all in pixels, y down. Equal ends: a dot.
  void line(const Stroke& line, float width, const Colour& colour);
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
