// Frames as USD ASCII: one Points prim, /snow/particles, with all its data as samples at the frame's time code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/formats.h"
#include "io/frame_view.h"

namespace firn {

// Particles stay in the frame's order. Throws RunError.
void write_usda(const std::string& path, const FrameView& frame, const FrameNotes& notes);

// The first Points prim of any USD ASCII file that has points: of samples the first, else the default. What firn does not know is
// skipped. Throws UserError naming the file, line and byte.
Frame parse_usda(const std::string& file, std::string_view bytes);
Frame read_usda(const std::string& path);

inline constexpr std::string_view kUsdaIndexName = "frames.usda", kUsdaManifestName = "frames.manifest.usda";
// frames.usda, the stage of all frames, and frames.manifest.usda, which tells USD what the frames have without opening them. Of
// `notes` the frame rate counts. The frames are written before. Throws RunError.
void write_usda_index(const std::string& folder, const std::vector<IndexEntry>& frames, const FrameNotes& notes);

}  // namespace firn
