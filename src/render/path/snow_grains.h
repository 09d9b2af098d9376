// Particles stand for many grains of snow. In pictures each becomes a cloud of them that takes the shape of its neighbourhood: wide
// inside packed snow, so that no single particle can be told apart, flat along its surface, and small where a particle is alone (after
// the anisotropic kernels of Yu and Turk 2013).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/frame.h"
#include "render/shared/vector.h"

namespace firn {

// Who is near whom, among points.

// Points sorted into cubes as wide as the search reaches: all that is near a point is in its cube or in one of the 26 around it.
// Lengths are in units of the reach.
class Neighbours {
 public:
  struct Point {
    std::uint64_t cube;
    std::uint32_t index;  // in the frame
    Float3 place;         // in its cube, 0 to 1
  };

  Neighbours(const Frame& frame, double reach);

  std::size_t cubes() const { return first_.size() - 1; }
  const Point* begin(std::size_t cube) const { return points_.data() + first_[cube]; }
  const Point* end(std::size_t cube) const { return points_.data() + first_[cube + 1]; }
  // The places of the points in and around it, as seen from it; the same order every time.
  void gather(std::size_t cube, std::vector<Float3>& places) const;

 private:
  std::vector<Point> points_;
  std::vector<std::size_t> first_;  // of the points of a cube, and one beyond the last
};

// Edge of the voxels to see them on, m. `particle`: edge of the cube that one of the `particles` stands for.
double usual_voxel(double particle, std::size_t particles);

// As many as suit the voxels, about one for a voxel of packed snow, and as the memory has room for. 1: on voxels so coarse that a particle
// cannot be told from its neighbours, and among millions, it stays what it is.
std::size_t grains_of_particle(double particle, double voxel, std::size_t particles);

// Position and mass of so many grains for every particle, particle by particle: the same ones in every frame. `most`: particles of the
// film's largest frame, by which all its frames go; 0: this one's.
Frame as_grains(const Frame& frame, double particle, double voxel, std::size_t most = 0);

// Moves each of the grains along its particle's velocity to a moment of its own within `seconds`, half of which are over at the frame. The
// moments of a particle's grains are spread evenly, and the grains fly a little apart, as snow does: else every loose particle were a
// straw.
void blur(Frame& grains, const Frame& frame, double seconds);

}  // namespace firn
