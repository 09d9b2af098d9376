// Letters made of strokes, for labels in pictures: no font file is needed, and any size is as sharp as it can be.
#pragma once

#include <string>
#include <vector>

#include "math/vec.h"

namespace firn {

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

}  // namespace firn
