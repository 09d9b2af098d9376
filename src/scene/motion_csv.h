// Motion keys as a table: a header that names the columns, then a line for every key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scene/motion_file.h"

namespace firn::schema {

struct CsvSource {
  std::string path;  // for messages
  int dimension;
};

// Columns t, x, y, z and, for rotations, qw qx qy qz or rx ry rz (degrees), in any order; separated by commas, semicolons or blanks, as the
// header is. '#' begins a comment.
std::vector<MotionRow> rows_of_csv(std::string_view text, const CsvSource& source);

}  // namespace firn::schema
