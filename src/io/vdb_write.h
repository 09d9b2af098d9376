// Frames as OpenVDB files: density, velocity and J_P on the nodes of the grid, and the particles themselves if asked for.
#pragma once

#include <string>

#include "frame/frame_view.h"
#include "frame/rasterize.h"

namespace firn {

inline constexpr double kLeastVdbSpacing = 2e-5;  // m; OpenVDB takes the transform of a smaller one for singular

// The same state gives the same bytes. Throws UserError when the frame cannot become a volume (no spacing, no mass), RunError when it
// cannot be written.
void write_vdb(const std::string& path, const FrameView& frame, const FrameNotes& notes, const FormatOptions& options);

// The nodes of a grid, with a volume of each of `which` under its name. Throws RunError.
void write_grid_vdb(const std::string& path, const GridFields& grid, const std::vector<GridField>& which, const FrameNotes& notes);

// Writes the density alone, of fields that are there already, made on the grid of the notes.
void write_density(const std::string& path, const NodeFields& fields, const FrameNotes& notes);

}  // namespace firn
