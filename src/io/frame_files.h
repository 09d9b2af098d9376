// How the frames of a run are named, and finding them again: frame_0012.EXT, and frame_0012_1.EXT for the first sub-frame after it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace firn {

struct FrameNumber {
  long frame = 0;
  int subframe = 0;  // 0: a whole frame

  auto operator<=>(const FrameNumber&) const = default;
  // s; `subframes` written frames make a whole one.
  double time(double fps, int subframes) const { return (static_cast<double>(frame) + static_cast<double>(subframe) / subframes) / fps; }
};

// "frame_0012" or "frame_0012_1"
std::string frame_stem(const FrameNumber& number);
// Of a path, whatever its ending; nothing: it is not named like a frame.
std::optional<FrameNumber> frame_number(const std::string& path);

struct FrameFile {
  std::string path;
  FrameNumber number;
};
// All frames in a run's folder that particles can be read from, in their order; of one that is there in several formats, the first of
// formats(). Throws UserError when there are none.
std::vector<FrameFile> find_frames(const std::string& folder);

// The simulated time of a frame or of final.ply, as the stats.csv beside it has it; nothing: it does not tell.
std::optional<double> recorded_time(const std::string& path);

}  // namespace firn
