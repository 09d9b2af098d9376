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

// What a line of a run's stats.csv tells.
struct RecordedFrame {
  long frame = 0;
  double time = 0;     // s
  long particles = 0;  // 0 also where it does not tell
};
// Of all lines, in their order; empty where there is no stats.csv or it is damaged.
std::vector<RecordedFrame> recorded_frames(const std::string& folder);

// Numbers of whole frames before the last of `frames`, which find_frames(folder) found, that were written and are not there.
std::vector<long> missing_frames(const std::string& folder, const std::vector<FrameFile>& frames);
// "3, 5 to 9 and 12"; of many pieces the first few.
std::string number_list(const std::vector<long>& numbers);

// The simulated time of a frame or of final.ply, as the stats.csv beside it has it; nothing: it does not tell.
std::optional<double> recorded_time(const std::string& path);

}  // namespace firn
