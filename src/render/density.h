// How densely snow lies where: a coarse grid and its coarser averages. It smooths the surface of packed snow and tells how much
// of the sky a point sees.
#pragma once

#include <vector>

#include "render/vector.h"

namespace firn {

class DensityField {
 public:
  // `radius`: the spheres' typical radius.
  DensityField(const std::vector<Sphere>& spheres, float radius);

  float cell() const { return cell_; }
  // About 1 in packed snow; level l averages over cells 2^l as large.
  float at(const Float3& p, int level) const;
  // Of level 0, per cell: points into the snow.
  Float3 gradient(const Float3& p) const;
  // The part of light that comes through the snow from `direction`, seen through a cone that widens with distance.
  float visibility(const Float3& p, const Float3& direction) const;
  // Behind packed snow on all sides: cannot be seen.
  bool is_buried(const Float3& p) const;
  // False where no snow is near enough to matter for visibility().
  bool is_near(const Float3& p) const;

 private:
  struct Level {
    int n[3];
    std::vector<float> value;
    std::size_t at(int i, int j, int k) const { return (static_cast<std::size_t>(k) * n[1] + j) * n[0] + i; }
  };

  void choose_grid(const std::vector<Sphere>& spheres, float radius);
  void scatter(const std::vector<Sphere>& spheres);
  void smooth();
  void add_coarser_levels();

  Float3 low_{0, 0, 0};
  float cell_ = 1;
  std::vector<Level> levels_;
};

}  // namespace firn
