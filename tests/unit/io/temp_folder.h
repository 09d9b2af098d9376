// Whole files in and out of a test's folder.
#pragma once

#include "support/temp_folder.h"

namespace firn::test {

using test::TempFolder;

inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string write_bytes(const std::string& path, const std::string& bytes) {
  std::filesystem::remove(path);  // writing over a file waits for the disk on some file systems, which thousands of writes would feel
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace firn::test
