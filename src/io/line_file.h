// A text file that grows line by line.
#pragma once

#include <string>
#include <string_view>

namespace firn {

// Every failure is a RunError with the path and the system's reason; the file then ends with the last whole line.
class LineFile {
 public:
  LineFile() = default;
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  // A new, empty file, in the place of an old one.
  void open(const std::string& path);
  // `line` with its line end, on its way to the disk when this returns.
  void add(std::string_view line);

 private:
  std::string path_;
  int descriptor_ = -1;
  long size_ = 0;  // of the whole lines
};

}  // namespace firn
