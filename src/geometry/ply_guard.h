// What assimp must never see: on a PLY header without an end it runs until it is stopped, and where rows of text are missing it makes some
// up.
#pragma once

#include <string>

namespace firn {

// Throws UserError when the header does not end, or a file of text has fewer rows than its header promises.
void check_ply_is_whole(const std::string& path);

}  // namespace firn
