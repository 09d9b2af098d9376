// The numbers of an .fpc file as bytes, apart because files know nothing of packing: exact or to an error, differences, byte by byte,
// compressed.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

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

// The whole numbers of one component of one chunk, packed: differences of neighbours, byte by byte of their value, compressed.

// `Word` is std::uint32_t or std::uint64_t. Packs what it is given and reuses its memory from one call to the next.
template <class Word>
class FpcPacker {
 public:
  // Appends the packed words to `bytes`; they are used up. Throws RunError when the compressor fails.
  void pack(std::span<Word> words, std::string& bytes);
  // Fills `words`.
  void unpack(FpcCursor& from, std::span<Word> words);

 private:
  void pack_plane(std::span<const Word> words, unsigned plane, std::string& bytes);
  void unpack_plane(FpcCursor& from, unsigned plane, std::span<Word> words);

  std::vector<std::uint8_t> plane_;
};

// The numbers of one component of one chunk as whole numbers, exactly or to an error.

enum class FpcCoding : std::uint32_t { kExact = 1, kQuantised = 2 };

// Coding, step, number of byte planes, first number: all there is of a component that is the same for all particles of its chunk.
inline constexpr std::size_t kFpcLeastComponentBytes = 4 + 8 + 4 + 8;

// How far numbers may be off.
struct FpcTolerance {
  double error;     // 0: not at all
  bool above_zero;  // what was greater than 0 has to stay so
};

// `Number` is float, double or std::uint32_t. Reuses its memory from one call to the next.
template <class Number>
class FpcCoder {
 public:
  // Appends the numbers to `bytes`.
  void encode(std::span<const Number> numbers, const FpcTolerance& tolerance, std::string& bytes);
  // Fills `numbers`.
  void decode(FpcCursor& from, std::span<Number> numbers);

 private:
  using Word = std::conditional_t<sizeof(Number) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;

  bool quantise(std::span<const Number> numbers, const FpcTolerance& tolerance, double step);
  void undo_quantise(double step, std::span<Number> numbers) const;

  std::vector<Word> words_;
  std::vector<Number> check_;
  FpcPacker<Word> packer_;
};

}  // namespace firn
