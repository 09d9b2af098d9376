// Files: read as a whole, written so that they are there complete or not at all, through a buffer, or line by line.
#pragma once

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/processes.h"

namespace firn {

// What kind of file a name stands for.

// ".obj" of "Ball.OBJ"; empty without one.
inline std::string file_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

// The one place where small files are read as a whole.

// Throws UserError when the file cannot be read or is larger than `largest` bytes.
std::string read_file(const std::string& path, std::size_t largest);

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
// The first bytes of a regular file, `most` at most.
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

// Numbers on their way into a file, gathered so that system calls are few.

static_assert(std::endian::native == std::endian::little, "files get the bytes of a little-endian machine");

class FileBuffer {
 public:
  explicit FileBuffer(AtomicFile& file) : file_(file), bytes_(kBytes, '\0') {}

  // Little-endian.
  template <class T>
  void put(T value) {
    std::memcpy(room(sizeof(T)), &value, sizeof(T));
    used_ += sizeof(T);
  }
  template <class T>
  void put_big_endian(T value) {
    char* const to = room(sizeof(T));
    std::memcpy(to, &value, sizeof(T));
    std::reverse(to, to + sizeof(T));
    used_ += sizeof(T);
  }
  void put_text(std::string_view text) {
    flush();
    file_.write(text);
  }

  // Writes what is left to the file; to be called at the end.
  void flush() {
    file_.write(std::string_view(bytes_).substr(0, used_));
    used_ = 0;
  }

 private:
  static constexpr std::size_t kBytes = std::size_t(1) << 20;  // still in the cache

  char* room(std::size_t bytes) {
    if (used_ + bytes > bytes_.size()) flush();
    return bytes_.data() + used_;
  }

  AtomicFile& file_;
  std::string bytes_;
  std::size_t used_ = 0;
};

// A text file that grows line by line.

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
