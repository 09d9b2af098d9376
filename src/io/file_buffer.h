// Numbers on their way into a file, gathered so that system calls are few.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "io/file.h"

namespace firn {

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

  // To the file; to be called at the end.
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

}  // namespace firn
