// A picture that gets better with every pass.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "render/path/traced_picture.h"
#include "render/path/tracer.h"

namespace firn {

struct PictureSize {
  int width = 960, height = 540;
  std::uint32_t seed = 1;
};

// While the shutter is open: where things and the camera are.
struct Moment {
  PathTracer tracer;
  Camera camera;
};

// The same for any number of threads, and however its samples are divided into passes.
class ProgressivePicture {
 public:
  // The samples of a pixel see one moment after the other, again and again.
  ProgressivePicture(std::vector<Moment> moments, const PictureSize& size);

  // `samples` more for every pixel. `progress` gets the part that is done, now and then, and may return false to stop: some tiles then
  // have got theirs and others have not. Returns whether all have.
  bool add(int samples, const std::function<bool(double fraction)>& progress);
  // Of the pixels that have got the fewest.
  int samples() const;
  // Every pixel must have a sample.
  TracedPicture picture() const;

 private:
  // Over the samples of a pixel.
  struct Sums {
    Colour light = Colour::zero(), squares = Colour::zero(), albedo = Colour::zero();
    Float3 normal = Float3::zero();
    float depth = 0, squared_albedo = 0, squared_depth = 0;
  };
  template <class Visit>
  void for_each_pixel(int tile, Visit visit) const;
  void add_to_tile(int tile, int samples);

  std::vector<Moment> moments_;
  std::vector<Projection> projections_;  // of the moments' cameras
  PictureSize size_;
  int across_;               // tiles
  std::vector<int> counts_;  // samples of the pixels of a tile
  std::vector<Sums> sums_;
};

}  // namespace firn
