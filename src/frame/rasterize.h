// Particles to fields on the nodes of a grid, by the solver's own kernel (M4), and what they take up now.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firn/frame.h"
#include "frame/frame_view.h"

namespace firn {

// Nodes lie at i·h, i whole, counted from the world's origin. In 2D there is one layer of them, k = 0.
struct NodeGrid {
  double spacing;  // h, m
  Kernel kernel = Kernel::kCubic;
  int dimension = 3;
};

// Only the nodes that some particle reaches, in leaves of 8³: the same cubes, and the same order in them, as in OpenVDB.
struct NodeFields {
  static constexpr int kLog2Edge = 3, kEdge = 1 << kLog2Edge, kNodes = kEdge * kEdge * kEdge;
  // The number of a node in its leaf; z varies fastest.
  static constexpr int offset(int x, int y, int z) { return (x << 2 * kLog2Edge) + (y << kLog2Edge) + z; }

  // A leaf each, in ascending order of x, then y, then z.
  std::vector<std::array<std::int32_t, 3>> origin;        // its first node
  std::vector<std::array<std::uint64_t, kEdge>> touched;  // a bit per node: m_i > 0; a word per x
  std::vector<std::size_t> first;                         // where its values begin

  // Values of the touched nodes alone, leaf after leaf: spray touches few nodes of many leaves. Empty: the particles have no such column.
  std::vector<float> mass;                     // m_i, kg; in 2D per metre of depth
  std::vector<std::array<float, 3>> velocity;  // m/s, weighted by mass
  std::vector<float> jp;                       // J_P, weighted by mass

  std::size_t leaves() const { return origin.size(); }

  // Calls visit(offset of the node, index of its value).
  template <class Visit>
  void for_each_touched(std::size_t leaf, Visit visit) const {
    constexpr int kWordBits = 64;
    std::size_t value = first[leaf];
    for (int word = 0; word < kEdge; ++word)
      for (std::uint64_t bits = touched[leaf][static_cast<std::size_t>(word)]; bits != 0; bits &= bits - 1)
        visit(word * kWordBits + static_cast<int>(std::countr_zero(bits)), value++);
  }
};

// `name` stands for the frame in errors. Sums are in double, on one thread and in the frame's order. Throws UserError when the particles
// have no mass, lie outside the plane of a 2D grid, or so far out that nodes cannot be numbered.
NodeFields rasterize(const std::string& name, const FrameView& frame, const NodeGrid& grid);

// What a frame's particles take up now.

// The one in the middle; values must not be empty.
double median(std::vector<double> values);

// The radius of a ball of that volume.
double sphere_radius(double volume);
// V⁰ of a particle, m³ (2D: m²), in snow sampled as usual on a grid of that spacing: eight to a cell, in 2D four.
double usual_volume(double spacing, int dimension);

class PresentVolume {
 public:
  // `typical` m³ (2D: m²) is V⁰ where the frame has no volumes. Torn snow is stretched on paper only: it swells to at most `swelling`
  // times V⁰.
  PresentVolume(const Frame& frame, double typical, double swelling);

  double operator()(std::size_t p) const;

 private:
  const Frame& frame_;
  double typical_, swelling_;
  double specific_;  // V⁰ per mass that is usual in the frame; 0: the frame does not tell
};

}  // namespace firn
