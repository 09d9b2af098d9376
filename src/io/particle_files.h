// Particles in files, in and out: PLY, OBJ (in), BGEO, VTP, USDA and FPC. Each parse_ takes the bytes of a file, which is named in errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "firn/frame.h"
#include "frame/frame_view.h"
#include "io/formats.h"

namespace firn {

// PLY. read_ply() (firn/frame.h) takes the bytes from the disk. Throws UserError.
Frame parse_ply(const std::string& file, std::string_view bytes);

// OBJ files that have nothing but vertices. Throws UserError with the line.
Frame parse_obj_points(const std::string& file, std::string_view bytes);
Frame read_obj_points(const std::string& path);

// A PLY file written piece by piece, so that a large state never stands in memory twice.

class PlyWriter {
 public:
  // `count`: particles in all. Which columns the file has, and their precision, is decided by the first piece with particles.
  PlyWriter(std::string path, std::size_t count);

  // The next particles, in id order over all pieces. Throws RunError.
  void append(const FrameView& piece);
  void commit();

 private:
  template <class Real>
  void write_rows(const FrameView& piece);

  std::string path_;
  std::size_t count_, written_ = 0;
  AtomicFile file_;
  std::vector<Field> fields_;  // empty: not decided yet
};

// The public write_ply() for any view.
void write_ply(const std::string& path, const FrameView& frame);

// Houdini's classic binary geometry, version 5: big-endian, points with attributes of 32-bit numbers.

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

// VTK's PolyData in XML with the arrays appended as raw bytes, and the collection that makes a film of such files.

// Every particle is a point and a vertex cell, so that programs show them without a filter. Throws RunError.
void write_vtp(const std::string& path, const FrameView& frame, const FrameNotes& notes);

// The nodes of a grid as such points, with an array of each of `which`. Throws RunError.
void write_grid_vtp(const std::string& path, const GridFields& grid, const std::vector<GridField>& which, double time);

// Files with the times they belong to, s. Throws RunError.
void write_collection(const std::string& path, const std::vector<IndexEntry>& frames);
inline constexpr std::string_view kPvdName = "frames.pvd";
// The same as FOLDER/frames.pvd.
void write_pvd(const std::string& folder, const std::vector<IndexEntry>& frames, const FrameNotes& notes);

// `file` names it in errors. Arrays that firn does not know and cells are left aside. Throws UserError with the byte at which something is
// wrong or not supported: compressed files, base64, text, big-endian, several pieces.
Frame parse_vtp(const std::string& file, std::string_view bytes);
Frame read_vtp(const std::string& path);

// Frames as USD ASCII: one Points prim, /snow/particles, with all its data as samples at the frame's time code.

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

// firn's own compressed frames, .fpc: the columns in chunks, exact or to a stated error. docs/formats.md has the layout.

struct FpcColumn {
  Field field;
  double error;  // in the attribute's unit: no number is further from what an exact file has; 0: it is the exact one
};

// What a file says about itself before its particles.
struct FpcHeader {
  std::uint64_t particles = 0;
  std::uint32_t chunk_particles = 0;  // in every chunk but the last
  bool double_precision = false;
  FrameNotes notes;
  std::vector<FpcColumn> columns;
};

// Particles keep their order. Throws RunError.
void write_fpc(const std::string& path, const FrameView& frame, const FrameNotes& notes, const FormatOptions& options);

// What is wrong in a file is a UserError with its byte.
Frame read_fpc(const std::string& path);
FpcHeader read_fpc_header(const std::string& path);

// kIgnore is for fuzzing, which would never get past the checksums.
enum class FpcChecksums { kVerify, kIgnore };
// read_fpc() from bytes; `file` names them in errors.
Frame parse_fpc(const std::string& file, std::string_view bytes, FpcChecksums checksums = FpcChecksums::kVerify);

}  // namespace firn
