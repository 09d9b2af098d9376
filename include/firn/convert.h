// Frames from one format to another, and a look into files.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/frame.h"
#include "firn/surface.h"

namespace firn {

struct ConvertOptions {
  std::vector<std::string> attributes;  // that are kept, beside the position; empty: all
  // What the frames are like. What is not given here is what an .fpc says itself, and for other files what the scene.toml beside them says.
  std::optional<double> fps;      // frames per second
  std::optional<double> spacing;  // m
  std::optional<Kernel> kernel;
  std::optional<int> dimension;
  FormatOptions format;
  bool as_surface = false;  // a surface of the snow instead of particles, as .ply; an .obj is always one
  SurfaceOptions surface;
  bool overwrite = false;                                                      // files that are there already
  std::function<void(const std::string& file, int done, int total)> progress;  // after every file; may be empty
  std::function<void(const std::string& text)> warn;
  std::function<bool()> interrupted;  // asked before every file
};

struct ConvertSummary {
  std::vector<std::string> files;  // written, in order
  std::size_t particles = 0;       // in all of them
  std::size_t triangles = 0;       // of surfaces, in all of them
  std::size_t left_out = 0;        // particles too small for the surface's voxels
  bool surfaces = false;
  bool interrupted = false;
};

// `inputs`: frames, patterns such as out/*.ply, or folders of runs, whose frames are meant. `output`: a file; where there are several
// inputs its name has one * for that of the input without its ending. Folders are made. Nothing is written when an output is there
// already or two inputs would go to the same. Throws UserError and RunError; what was written before stays.
ConvertSummary convert(const std::vector<std::string>& inputs, const std::string& output, const ConvertOptions& options);

// What is in a file, as lines of names and values.
struct FileReport {
  struct Column {
    std::string name;
    std::string type;  // "3 × float"
    std::string unit;
    double least = 0, greatest = 0, mean = 0;  // over all components
    std::string note;                          // how it was stored
  };
  std::string format;                                        // "ply", …
  std::vector<std::pair<std::string, std::string>> entries;  // particles, box, mass, …
  std::vector<Column> columns;
};
FileReport inspect(const std::string& path);

}  // namespace firn
