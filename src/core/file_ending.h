// What kind of file a name stands for.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

namespace firn {

// ".obj" of "Ball.OBJ"; empty without one.
inline std::string file_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

}  // namespace firn
