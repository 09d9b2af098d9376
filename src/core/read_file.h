// The one place where small files are read as a whole.
#pragma once

#include <cstddef>
#include <string>

namespace firn {

// Throws UserError when the file cannot be read or is larger than `largest` bytes.
std::string read_file(const std::string& path, std::size_t largest);

}  // namespace firn
