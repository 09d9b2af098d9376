// Frames as USD ASCII: one Points prim, /snow/particles, with all its data as samples at the frame's time code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frame/frame_view.h"
#include "io/formats.h"

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

// How a frame lies in a USD file: what the writer, the reader and the stage of all frames agree on.

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
