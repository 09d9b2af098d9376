// Pictures and films of frames.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace firn {

struct PreviewOptions {
  int width = 960;  // pixels
  int height = 540;
  bool film = true;                                   // also a film, when there is more than one frame
  std::function<void(int done, int total)> progress;  // after every picture; may be empty
};

struct PreviewResult {
  std::vector<std::string> pictures;  // paths, in the order of the frames
  std::string film;                   // path; empty without one
  std::string warning;                // why there is no film though one was asked for; empty when all went well
};

// Quick pictures. Of a run's folder: every DIR/frame_NNNN (of any format that can be read) as DIR/preview/frame_NNNN.png and the film
// DIR/preview/preview.mp4, with the bodies of DIR/scene.toml. Of one frame: its picture in the folder preview beside it, with
// the scene.toml beside it where there is one. Throws UserError when there is nothing to draw, RunError when a file cannot be written.
PreviewResult preview(const std::string& dir_or_frame, const PreviewOptions& options);

}  // namespace firn
