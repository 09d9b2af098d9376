// A text file that grows line by line.
#pragma once

#include <string>
#include <string_view>

#include "io/file.h"

namespace firn {

// Every failure is a RunError with the path and the system's reason; the file then ends with the last whole line.
class LineFile {
 public:
  // A new, empty file: one that is there already, or a link, is not touched.
  void open(const std::string& path);
  // One that is there, to go on after its first `size` bytes. Throws UserError when it has fewer.
  void reopen(const std::string& path, long size);
  // Away with what is after them.
  void truncate();
  long size() const { return size_; }
  // All of it is on the disk when this returns.
  void sync() const;
  // `line` with its line end, on its way to the disk when this returns.
  void add(std::string_view line);

 private:
  std::string path_;
  Descriptor file_;
  long size_ = 0;  // of the whole lines
};

}  // namespace firn
