// The table of frame formats: whoever writes or reads frames by name goes through it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/frame_view.h"

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

// By the name, or by the ending of a path; nullptr: there is none.
const Format* find_format(std::string_view name);
const Format* format_of_path(const std::string& path);
// Whether the file is one that write_index() of some format writes.
bool is_index(const std::string& path);
// Like format_of_path(); throws UserError naming the endings there are.
const Format& format_to_write(const std::string& path);
const Format& format_to_read(const std::string& path);

}  // namespace firn
