// Where files may lie.
#pragma once

#include <filesystem>

namespace firn {

// Whether a whole path is in a folder by its name, and stays there when links are followed. A link that leads nowhere leads out. Nothing
// outside of the folder is looked at unless a link in it leads there.
bool is_inside(const std::filesystem::path& folder, const std::filesystem::path& path);

}  // namespace firn
