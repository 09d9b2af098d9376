// The folder of a run, without the run: some frames of a ball that falls on a plane.
#pragma once

#include <string>

#include "../io/temp_folder.h"
#include "scenes.h"

namespace firn::test {

inline constexpr const char* kFallingBall =
    "[simulation]\nspacing = 0.01\nduration = 0.125\n[[snow]]\nshape = \"sphere\"\ncenter = [0, 0.2, 0]\nradius = 0.1\n"
    "[[collider]]\nshape = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 1, 0]\n";

inline void make_run(const TempFolder& folder, int frames = 3) {
  write_bytes(folder / "scene.toml", kFallingBall);
  for (int i = 0; i < frames; ++i)
    write_ply(folder / ("frame_000" + std::to_string(i) + ".ply"), make_ball({0, 0.3 - 0.09 * i, 0}, 3, 0.012));
}

}  // namespace firn::test
