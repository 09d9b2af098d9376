// A PLY file from its bytes; read_ply() (firn/frame.h) reads them from the disk.
#pragma once

#include <string>
#include <string_view>

#include "firn/frame.h"

namespace firn {

// `file` names it in errors. Throws UserError.
Frame parse_ply(const std::string& file, std::string_view bytes);

}  // namespace firn
