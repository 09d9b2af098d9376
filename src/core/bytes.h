// Things as bytes: 128-bit numbers that tell them apart, and archives that write, read and hash what a thing lists once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "firn/error.h"

namespace firn {

// A number for many bytes, which other bytes do not have: 128 bits by xxHash.

class ByteHash {
 public:
  ByteHash();
  ~ByteHash();

  void add(std::string_view bytes);
  // 32 hexadecimal digits of all bytes so far.
  std::string digits() const;

 private:
  struct Sum;
  std::unique_ptr<Sum> sum_;
};

// Values as bytes, one after the other. What belongs to a thing is listed once, by a describe(archive, thing) that writes, reads and
// hashes it alike.

class ByteWriter {
 public:
  static constexpr bool kReads = false;
  using Sink = std::function<void(std::string_view bytes)>;

  explicit ByteWriter(Sink sink) : sink_(std::move(sink)) { buffer_.reserve(kPiece); }
  ~ByteWriter() = default;
  ByteWriter(const ByteWriter&) = delete;
  ByteWriter& operator=(const ByteWriter&) = delete;

  void bytes(const void* from, std::size_t size) {
    if (buffer_.size() + size > kPiece) flush();
    buffer_.append(static_cast<const char*>(from), size);
  }
  // Gives away what is left; to be called at the end.
  void flush() {
    if (!buffer_.empty()) sink_(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kPiece = std::size_t(1) << 20;

  Sink sink_;
  std::string buffer_;
};

class ByteReader {
 public:
  static constexpr bool kReads = true;
  // Puts the next bytes there, at most so many, and says how many; 0: there are no more.
  using Source = std::function<std::size_t(char* to, std::size_t size)>;

  explicit ByteReader(Source source) : source_(std::move(source)) {}

  void bytes(void* to, std::size_t size) {
    for (char* at = static_cast<char*>(to); size > 0;) {
      const std::size_t got = source_(at, size);
      if (got == 0) throw UserError("the state ends too early");
      at += got;
      size -= got;
    }
  }

 private:
  Source source_;
};

namespace detail {

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsSet : std::false_type {};
template <class T>
struct IsSet<std::unordered_set<T>> : std::true_type {};

// A list cannot be longer than this; one that claims to be is damage, not a reason to ask for memory.
inline constexpr std::uint64_t kLongestList = std::uint64_t(1) << 36;

template <class A, class V>
void archive_list(A& a, V& list);
template <class A, class S>
void archive_set(A& a, S& set);

}  // namespace detail

// One value after the other: numbers, lists, sets, optional values, and whatever has a describe().
template <class A, class... Values>
void archive(A& a, Values&... values);

template <class A, class Value>
void archive_one(A& a, Value& value) {
  using V = std::remove_const_t<Value>;
  if constexpr (std::is_arithmetic_v<V> || std::is_enum_v<V>) {
    if constexpr (A::kReads)
      a.bytes(const_cast<V*>(&value), sizeof value);
    else
      a.bytes(&value, sizeof value);
  } else if constexpr (std::is_same_v<V, std::string> || detail::IsVector<V>::value) {
    detail::archive_list(a, value);
  } else if constexpr (detail::IsSet<V>::value) {
    detail::archive_set(a, value);
  } else if constexpr (detail::IsOptional<V>::value) {
    std::uint8_t there = value.has_value();
    archive(a, there);
    if constexpr (A::kReads) {
      if (there) value.emplace();
    }
    if (there) archive(a, *value);
  } else if constexpr (std::is_array_v<V> || requires { std::tuple_size<V>::value; }) {
    for (auto& x : value) archive(a, x);
  } else {
    describe(a, value);
  }
}

template <class A, class... Values>
void archive(A& a, Values&... values) {
  (archive_one(a, values), ...);
}

namespace detail {

template <class A, class V>
void archive_list(A& a, V& list) {
  std::uint64_t size = list.size();
  archive(a, size);
  if constexpr (A::kReads) {
    if (size > kLongestList) throw UserError("a list in the state is too long");
    constexpr std::uint64_t kAtOnce = 1 << 16;  // memory is asked for as far as there is something to fill it
    while (list.size() < size) {
      const std::size_t begin = list.size();
      list.resize(static_cast<std::size_t>(std::min(size, begin + kAtOnce)));
      for (std::size_t i = begin; i < list.size(); ++i) archive(a, list[i]);
    }
  } else {
    for (auto& x : list) archive(a, x);
  }
}

// The elements of a set in order, so that equal sets give equal bytes.
template <class A, class S>
void archive_set(A& a, S& set) {
  std::vector<typename S::value_type> sorted(set.begin(), set.end());
  std::sort(sorted.begin(), sorted.end());
  archive(a, sorted);
  if constexpr (A::kReads) set.insert(sorted.begin(), sorted.end());
}

}  // namespace detail

}  // namespace firn
