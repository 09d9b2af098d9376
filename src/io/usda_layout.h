// How a frame lies in a USD file: what the writer, the reader and the stage of all frames agree on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/frame_view.h"

namespace firn {

// An attribute of the Points prim and the field it holds.
struct UsdaColumn {
  Field field;
  std::string name;
  std::string type;               // of the array
  bool double_precision = false;  // of its numbers
};

// In the order in which they are written. The schema has position and velocity in single precision, so frames in double precision have
// them once more, as primvars.
std::vector<UsdaColumn> usda_columns(const FrameView& frame);

struct UsdaName {
  Field field;
  bool primvar;
};
// What the reader takes an attribute of that name for; nothing: not one of firn's.
std::optional<UsdaName> find_usda_name(std::string_view name);
// Whether the field can be read from arrays of that type, "point3f".
bool is_usda_type(Field field, std::string_view type);

// A declaration without a value, indented for the Points prim.
std::string usda_declaration(const UsdaColumn& column);

// A time in frames; fractions are sub-frames. Programs look at whole codes, so whole frames have them, whatever time * fps rounds to.
double usda_time_code(double time, double fps);

// The first lines of every file, up to the first prim.
std::string usda_header(double first_code, double last_code, double fps);

}  // namespace firn
