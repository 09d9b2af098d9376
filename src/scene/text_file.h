// The one place where texts that belong to a scene are read from disk.
#pragma once

#include <string>

namespace firn {

inline constexpr std::size_t kLargestText = std::size_t{16} << 20;  // bytes; what is bulky has formats of its own

// The whole file. Throws UserError when it cannot be read or is larger than that.
std::string read_text_file(const std::string& path);

}  // namespace firn
