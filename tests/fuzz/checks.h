// What must hold for any bytes. The fuzzers try millions of inputs; the unit tests repeat those that once failed.
// A breach is a std::logic_error; anything else that comes out is one too.
#pragma once

#include <string>
#include <string_view>

namespace firn::fuzz {

// A scene is read, and its resolved text gives the same scene again, or it is refused.
void check_scene(std::string_view bytes);

// The first byte, a digit, chooses: 0 to 5 a file of that format with the other bytes in it, 6 and 7 a mesh of these bytes as
// they are, indices out of range and all. It is read and repaired to a mesh without faults, or refused.
// `folder` is where the file is written.
void check_mesh_bytes(std::string_view bytes, const std::string& folder);

// The first byte, a digit, chooses a format (check_frame.cpp has the list), the others are a file of it: a frame that could be written
// again, or refused.
void check_frame_bytes(std::string_view bytes);

// A message of a page: a request whose values can be asked for, or refused. The same bytes as a path stay in their folder.
void check_protocol(std::string_view bytes);

}  // namespace firn::fuzz
