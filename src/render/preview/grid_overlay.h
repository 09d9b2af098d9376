// What a preview shows of the method: nodes of the grid, velocities and forces at them, normals of colliders; apart because pictures are
// complete without it.
#pragma once

#include <string>
#include <vector>

#include "firn/frame.h"
#include "firn/picture.h"
#include "render/shared/camera.h"
#include "render/shared/canvas.h"
#include "render/shared/image.h"
#include "render/shared/stage.h"
#include "render/shared/tint.h"

namespace firn {

// In 2D all nodes are shown; in 3D those of one layer, the one through the middle of the snow that faces the camera most. Where they would
// be too close to tell apart, every second is taken on each axis, or every third, and so on. Arrows are drawn as if seen from far away, so
// a length means the same all over the picture; every picture has a scale of its own, for what is fast now is slow in the next.
class GridOverlay {
 public:
  explicit GridOverlay(const std::vector<Show>& show);

  // Darkens the picture of that frame and draws on it. `frame` is its path, `scenery` may be null. Throws UserError when there are no nodes
  // beside it, or nodes without what is to be shown.
  void draw(const std::string& frame, const Scenery* scenery, const Camera& camera, double time, Image& image);
  // What it has drawn last and how long arrows are, on a panel in the lower right corner.
  void draw_legend(Image& image, const Inset& taken) const;

 private:
  struct Arrows {
    Show what;
    GridField field;
    double unit = 0;  // what the arrow of the legend stands for in the last picture; 0: nothing moves or pushes there
  };
  struct Row {
    Show what;
    std::string text;
  };
  using Node = std::array<std::int32_t, 3>;

  bool shows(Show what) const;
  GridFields read(const std::string& frame) const;
  void draw_nodes(const GridFields& grid, const Camera& camera, Image& image);
  void draw_normals(const Scenery& scenery, const Camera& camera, double time, Image& image) const;

  std::vector<Show> show_;
  std::vector<Arrows> arrows_;
  bool flat_ = true;     // the last picture: 2D
  std::string thinned_;  // of that picture: which nodes it shows
};

}  // namespace firn
