// Whole files in and out: a file is either there complete or not there at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace firn {

// The bytes of a regular file. Throws UserError naming the file and the reason.
std::string read_file(const std::string& path);
// Of its first `most` bytes at most.
std::string read_file_start(const std::string& path, std::size_t most);

// Writes under a temporary name beside `path`; commit() flushes to the disk and renames. Without commit() nothing stays behind.
// Every failure is a RunError with the path and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
};

}  // namespace firn
