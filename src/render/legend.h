// What the colours of a picture mean, written in its corner.
#pragma once

#include <string>
#include <vector>

#include "render/colour_map.h"
#include "render/image.h"

namespace firn {

struct Legend {
  std::string title;
  // Of numbers: a bar of colours, and what it begins and ends with.
  ColourMap map = nullptr;  // null: there are no numbers
  std::string low, middle, high;
  // Of kinds: a patch of colour each.
  struct Kind {
    Colour colour;
    std::string name;
  };
  std::vector<Kind> kinds;
};

// Pixels at a picture's edges that are taken.
struct Inset {
  int left = 0, bottom = 0;
};

// On a dark panel in the lower left corner, sized by the picture's height. What a very small picture has no room for is cut off.
void draw_legend(const Legend& legend, Image& image, const Inset& inset = {});

}  // namespace firn
