// Files numbered one after the other.
#pragma once

#include <string>
#include <vector>

namespace firn {

// The files that a pattern such as walk_####.obj names, in order of their numbers; # stands for one or more digits. Throws UserError when
// there are fewer than two or one of them is missing in between.
std::vector<std::string> find_sequence(const std::string& pattern);

}  // namespace firn
