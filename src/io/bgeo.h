// Houdini's classic binary geometry, version 5: big-endian, points with attributes of 32-bit numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frame/frame_view.h"

namespace firn {

inline constexpr std::string_view kBgeoMagic = "BgeoV";
inline constexpr std::int32_t kBgeoVersion = 5;
inline constexpr std::string_view kBgeoEnd("\x00\xff", 2);

enum class BgeoType : std::int32_t { kFloat = 0, kInt = 1, kString = 2, kMixed = 3, kIndex = 4, kVector = 5 };

// Houdini's name of a field; positions have none, they are part of every point.
constexpr std::string_view bgeo_name(Field field) { return field == Field::kVelocity ? "v" : attribute(field).name; }

// Numbers are rounded to float whatever the frame's precision, for the format has no other. Throws RunError.
void write_bgeo(const std::string& path, FrameView frame);

// `file` names it in errors. Primitives and groups of other programs' files are left aside, as are attributes that firn does not know.
// Throws UserError with the byte at which something is wrong.
Frame parse_bgeo(const std::string& file, std::string_view bytes);
Frame read_bgeo(const std::string& path);

}  // namespace firn
