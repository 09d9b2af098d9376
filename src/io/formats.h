// The table of frame formats, how the frames of a run are named, and finding them again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frame/frame_view.h"

namespace firn {

// A frame of a run as the file that ties all frames together names it.
struct IndexEntry {
  std::string file;    // its name in the run's folder
  std::string volume;  // that of its .vdb; empty: there is none
  double time = 0;     // s
};

struct Format {
  std::string_view name;     // and the ending of its files
  std::string_view summary;  // for --help
  bool is_volume = false;    // fields on a grid, not particles
  double least_spacing = 0;  // m, of that grid
  void (*write)(const std::string& path, const FrameView& frame, const FrameNotes& notes, const FormatOptions& options);
  Frame (*read)(const std::string& path) = nullptr;             // nullptr: cannot be read
  FrameNotes (*read_notes)(const std::string& path) = nullptr;  // nullptr: its files do not keep them
  // The file that makes a film of the frames, in the run's folder; nullptr: the format needs none.
  void (*write_index)(const std::string& folder, const std::vector<IndexEntry>& frames, const FrameNotes& notes) = nullptr;
  std::vector<std::string_view> index_names = {};  // of the files that write_index() writes
};

const std::vector<Format>& formats();

// The format with this name, or with the ending of this path; nullptr: there is none.
const Format* find_format(std::string_view name);
const Format* format_of_path(const std::string& path);
// Whether the file is one that write_index() of some format writes.
bool is_index(const std::string& path);
// Like format_of_path(); throws UserError naming the endings there are.
const Format& format_to_write(const std::string& path);
const Format& format_to_read(const std::string& path);

// How the frames of a run are named, and finding them again: frame_0012.EXT, and frame_0012_1.EXT for the first sub-frame after it.

struct FrameNumber {
  long frame = 0;
  int subframe = 0;  // 0: a whole frame

  auto operator<=>(const FrameNumber&) const = default;
  // s; `subframes` written frames make a whole one.
  double time(double fps, int subframes) const { return (static_cast<double>(frame) + static_cast<double>(subframe) / subframes) / fps; }
};

// "frame_0012" or "frame_0012_1"
std::string frame_stem(const FrameNumber& number);
// "nodes_0012" or "nodes_0012_1": the grid of that frame, in files that are no frames of particles.
std::string nodes_stem(const FrameNumber& number);
// The number of the frame in a path, whatever its ending; nothing: it is not named like a frame.
std::optional<FrameNumber> frame_number(const std::string& path);
std::optional<FrameNumber> nodes_number(const std::string& path);

struct FrameFile {
  std::string path;
  FrameNumber number;
};
// The file that ties the nodes of all frames together.
inline constexpr std::string_view kNodesPvdName = "nodes.pvd";

// All frames in a run's folder that particles can be read from, in their order; of one that is there in several formats, the first of
// formats(). Throws UserError when there are none.
std::vector<FrameFile> find_frames(const std::string& folder);

// What a line of a run's stats.csv tells.
struct RecordedFrame {
  long frame = 0;
  double time = 0;     // s
  long particles = 0;  // 0 also where it does not tell
};
// What all lines tell, in their order; empty where there is no stats.csv or it is damaged.
std::vector<RecordedFrame> recorded_frames(const std::string& folder);

// Numbers of whole frames before the last of `frames`, which find_frames(folder) found, that were written and are not there.
std::vector<long> missing_frames(const std::string& folder, const std::vector<FrameFile>& frames);
// "3, 5 to 9 and 12"; of many pieces the first few.
std::string number_list(const std::vector<long>& numbers);

// The simulated time of a frame or of final.ply, as the stats.csv beside it has it; nothing: it does not tell.
std::optional<double> recorded_time(const std::string& path);

}  // namespace firn
