// Snow coloured by what its particles do, so that they can be told apart; on one scale for all frames of a film.
#pragma once

#include <string>
#include <vector>

#include "firn/frame.h"
#include "firn/picture.h"
#include "render/legend.h"
#include "render/scenery.h"

namespace firn {

class Tint {
 public:
  // `scenery` knows the materials' names; null: there is no scene. Not of ColourBy::kNone.
  Tint(ColourBy by, const Scenery* scenery) : by_(by), scenery_(scenery) {}

  // Makes the scale long enough for this frame of the film, but for the few particles that are farthest out. `path` is the frame's, for
  // errors. Throws UserError when the frame lacks what the colours are to show.
  void include(const Frame& frame, const std::string& path);

  // And for all frames of another film, coloured by the same numbers.
  void include(const Tint& other);

  // Of every particle. Numbers beyond the scale get the colours of its ends.
  std::vector<Colour> colours(const Frame& frame, const std::string& path) const;
  Legend legend() const;

 private:
  // Where the colours begin and end.
  struct Scale {
    double low, high;
  };

  void check(const Frame& frame, const std::string& path) const;
  // With round numbers at its ends.
  Scale scale() const;

  ColourBy by_;
  const Scenery* scenery_;
  bool empty_ = true;            // no particle has been included
  double least_ = 0, most_ = 0;  // of the numbers, without those farthest out
};

}  // namespace firn
