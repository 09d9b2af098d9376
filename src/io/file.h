// Whole files in and out: a file is either there complete or not there at all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/cleanup.h"

namespace firn {

// What the system says of an errno.
std::string system_reason(int error);

// A file that is open, closed with its owner; −1: none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  explicit operator bool() const { return number_ >= 0; }
  int operator*() const { return number_; }
  // Returns an errno, 0: all is well.
  int close();

 private:
  int number_;
};

// A new, empty file beside `path`, under a name that nothing there has, be it a file or a link: `name` is set to it. None: errno says why.
Descriptor make_temporary(const std::string& path, std::string& name);
// What make_temporary() was asked for when it gave this name; nothing: it did not give it.
std::optional<std::string> target_of_temporary(const std::string& name);

// Throws UserError when no file can be written there: the folder is missing or cannot be written to, or `path` is a folder.
void check_file_can_be_made(const std::string& path);

// All of the bytes, to an open file. Returns an errno, 0: all is well.
int write_all(const Descriptor& file, std::string_view bytes);

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
  std::optional<RemovedAtSignal> not_left_behind_;
  Descriptor file_;
};

}  // namespace firn
