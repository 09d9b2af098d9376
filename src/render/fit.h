// Finds the camera for a film: still, with the snow of all its frames in the picture and no wall in the way.
#pragma once

#include <vector>

#include "firn/frame.h"
#include "render/camera.h"
#include "render/scenery.h"

namespace firn {

// What is to be seen, gathered from some frames of a film.
struct Subject {
  std::vector<Vec<double, 3>> points;  // a sample of the particles, without the few that fly off
  std::size_t particles = 0;           // of the frame with the most
  double particle_size = 0;            // m, in that frame: edge of the cube (2D: square) that one stands for; 0: there are none
  bool flat = false;                   // all in the x-y plane of a 2D scene
  std::vector<double> times;           // s, of the frames

  void add(const Frame& frame, const Scenery* scenery, double time);
};

// `aspect`: width over height of the picture. The lens is that of the scene.
Camera fit_camera(const Subject& subject, const Scenery* scenery, double aspect);

}  // namespace firn
