// VTK's PolyData in XML with the arrays appended as raw bytes, and the collection that makes a film of such files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firn/frame.h"
#include "io/formats.h"

namespace firn {

// Every particle is a point and a vertex cell, so that programs show them without a filter. Throws RunError.
void write_vtp(const std::string& path, const FrameView& frame, const FrameNotes& notes);

inline constexpr std::string_view kPvdName = "frames.pvd";
// FOLDER/frames.pvd, with the time of every frame in seconds. Throws RunError.
void write_pvd(const std::string& folder, const std::vector<IndexEntry>& frames, const FrameNotes& notes);

// `file` names it in errors. Arrays that firn does not know and cells are left aside. Throws UserError with the byte at which something is
// wrong or not supported: compressed files, base64, text, big-endian, several pieces.
Frame parse_vtp(const std::string& file, std::string_view bytes);
Frame read_vtp(const std::string& path);

}  // namespace firn
