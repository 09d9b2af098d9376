// Numbers into and out of the bytes of an .fpc file: little-endian, one after the other.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "firn/error.h"

namespace firn {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are in memory");

template <class T>
void put(std::string& bytes, T value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

// What is left to read of a file. Whatever is missing or wrong is a UserError with its byte.
class FpcCursor {
 public:
  // `offset`: where in the file `bytes` start.
  FpcCursor(const std::string& file, std::string_view bytes, std::size_t offset = 0) : file_(file), left_(bytes), offset_(offset) {}

  std::size_t offset() const { return offset_; }
  std::string_view left() const { return left_; }

  template <class T>
  T take(const char* what) {
    const std::string_view raw = take_bytes(sizeof(T), what);
    T value;
    std::memcpy(&value, raw.data(), sizeof value);
    return value;
  }

  std::string_view take_bytes(std::size_t count, const char* what) {
    if (count > left_.size()) fail(fmt::format("{} takes {} bytes, but there are only {} left", what, count, left_.size()));
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    offset_ += count;
    return taken;
  }

  // The next bytes as a cursor of their own.
  FpcCursor take_part(std::size_t count, const char* what) {
    const std::size_t start = offset_;
    return {file_, take_bytes(count, what), start};
  }

  [[noreturn]] void fail(const std::string& what) const { fail_at(offset_, what); }
  [[noreturn]] void fail_at(std::size_t offset, const std::string& what) const {
    throw UserError(fmt::format("{}: at byte {}: {}", file_, offset, what));
  }

 private:
  const std::string& file_;
  std::string_view left_;
  std::size_t offset_;
};

}  // namespace firn
