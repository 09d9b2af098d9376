// firn's own compressed frames, .fpc: the columns in chunks, exact or to a stated error. docs/formats.md has the layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frame/frame_view.h"

namespace firn {

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
// The same from bytes; `file` names them in errors.
Frame parse_fpc(const std::string& file, std::string_view bytes, FpcChecksums checksums = FpcChecksums::kVerify);

}  // namespace firn
