// Files that scenes name: motion keys as CSV or JSON, and files numbered one after the other.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace firn::schema {

// Motion keys that stand in a file of their own: CSV with named columns, or JSON like the `keys` of a scene.

// The run's scene.toml has all of them, some 250 bytes each, and must stay below kLargestText.
inline constexpr std::size_t kMostMotionKeys = 50000;

// A key as it would stand in a scene: { t, position, rotation }.
struct MotionRow {
  toml::table values;
  int line;
};

// The ending of the name, .csv or .json, decides. Throws UserError with the file's line.
std::vector<MotionRow> read_motion_file(const std::string& path, int dimension);

}  // namespace firn::schema

namespace firn {

// Files numbered one after the other.

// The files that a pattern such as walk_####.obj names, in order of their numbers; # stands for one or more digits. Throws UserError when
// there are fewer than two or one of them is missing in between.
std::vector<std::string> find_sequence(const std::string& pattern);

}  // namespace firn
