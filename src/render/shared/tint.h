// Snow coloured by what its particles do: maps from numbers to colours, the legend that tells it, one scale for a film.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "firn/frame.h"
#include "firn/picture.h"
#include "render/shared/image.h"
#include "render/shared/stage.h"
#include "render/shared/vector.h"

namespace firn {

// Colours that stand for numbers. Even steps of a number are even steps to the eye: the maps are lines between anchors in Oklab
// (Ottosson 2020), with a lightness that changes evenly.

// All maps take 0 to 1; beyond it the colours of the ends stay. Colours are linear light within 0 to 1.
using ColourMap = Colour (*)(float);

// Dark to bright: violet, red, yellow.
Colour ember(float t);
// Dark to bright: blue, green, yellow.
Colour lagoon(float t);
// Red, white in the middle, blue; darker towards both ends.
Colour red_to_blue(float t);

// For the n-th of a few things: hues far apart. More than kHues of them repeat, darker each time.
inline constexpr std::size_t kHues = 8;
Colour distinct(std::size_t n);

// What the colours of a picture mean, written in its corner.

struct Legend {
  std::string title;
  // For numbers: a bar of colours, and what is written at its beginning, middle and end.
  ColourMap map = nullptr;  // null: there are no numbers
  std::string low, middle, high;
  // For kinds: a patch of colour each.
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

class Tint {
 public:
  // `scenery` knows the materials' names; null: there is no scene. Not of ColourBy::kNone.
  Tint(ColourBy by, const Scenery* scenery) : by_(by), scenery_(scenery) {}

  // Makes the scale long enough for this frame of the film, but for the few particles that are farthest out. `path` is the frame's, for
  // errors. Throws UserError when the frame lacks what the colours are to show.
  void include(const Frame& frame, const std::string& path);

  // Widens the scale for all frames of another film, coloured by the same numbers.
  void include(const Tint& other);

  // The colour of every particle. Numbers beyond the scale get the colours of its ends.
  std::vector<Colour> colours(const Frame& frame, const std::string& path) const;
  Legend legend() const;

 private:
  // Where the colours begin and end.
  struct Scale {
    double low, high;
  };

  void check(const Frame& frame, const std::string& path) const;
  // The scale with round numbers at its ends.
  Scale scale() const;

  ColourBy by_;
  const Scenery* scenery_;
  bool empty_ = true;            // no particle has been included
  double least_ = 0, most_ = 0;  // of the numbers, without those farthest out
};

}  // namespace firn
