// Scene texts and helpers that the scene tests share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "support/temp_folder.h"

namespace firn::scene_tests {

// The shortest scene there is: [simulation] on lines 1 to 3, the ball on lines 4 to 7.
inline const std::string kSimulation = "[simulation]\nspacing = 0.01\nduration = 1.0\n";
inline const std::string kBall = "[[snow]]\nshape = \"sphere\"\ncenter = [0, 1, 0]\nradius = 0.1\n";
inline const std::string kMinimal = kSimulation + kBall;
inline const std::string kFlatSimulation = "[simulation]\nspacing = 0.01\nduration = 1.0\ndimension = 2\n";
inline const std::string kDisc = "[[snow]]\nshape = \"sphere\"\ncenter = [0, 1]\nradius = 0.1\n";

inline Scene parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_scene(text, "scene.toml", overrides);
}

// What the user reads; "no error" when the text is accepted.
inline std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse(text, overrides);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

inline std::string load_error_of(const std::string& path_or_name) {
  try {
    load_scene(path_or_name);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

using TemporaryFolder = test::TempFolder;

}  // namespace firn::scene_tests
