// A sky from a picture of all directions, a full turn wide and half a turn high (equirectangular). Its middle is at -z, +x to the right of
// it.
#pragma once

#include <vector>

#include "render/path/alias_table.h"
#include "render/path/hdr_image.h"

namespace firn {

class SkyImage {
 public:
  // Turned by `degrees` about +y, its light times `strength`. Throws UserError when the picture is not twice as wide as high.
  SkyImage(HdrImage image, double degrees, double strength);

  // Between the middles of pixels, linear.
  Colour radiance(const Float3& direction) const;
  // A direction; bright ones are chosen more often.
  Float3 choose(Rng& rng) const;
  // With which choose() does, per steradian.
  float density(const Float3& direction) const;
  // Luminance from everywhere.
  float fluence() const { return static_cast<float>(table_.sum()); }

 private:
  // In pixels from the upper left corner.
  struct Place {
    float x, y;
  };
  Place place_of(const Float3& direction) const;
  std::vector<float> cell_fluences() const;
  double solid_angle(int row, int rows) const;  // of a pixel or cell, of so many rows

  HdrImage image_;
  float turn_;        // part of a full one
  int edge_;          // pixels along a cell, across and down
  AliasTable table_;  // of the cells
};

}  // namespace firn
