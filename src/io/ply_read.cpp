#include "io/ply_read.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "firn/error.h"
#include "io/file.h"
#include "io/ply_header.h"
#include "io/ply_rows.h"
#include "io/printable.h"

namespace firn {
namespace {

static_assert(std::endian::native == std::endian::little, "load() assumes a little-endian machine");

template <class T>
double load_as(const char* from, bool swap) {
  char bytes[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = from[swap ? sizeof(T) - 1 - i : i];
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return static_cast<double>(value);
}

double load(PlyType type, const char* from, bool swap) {
  switch (type) {
    case PlyType::kInt8:
      return load_as<std::int8_t>(from, swap);
    case PlyType::kUint8:
      return load_as<std::uint8_t>(from, swap);
    case PlyType::kInt16:
      return load_as<std::int16_t>(from, swap);
    case PlyType::kUint16:
      return load_as<std::uint16_t>(from, swap);
    case PlyType::kInt32:
      return load_as<std::int32_t>(from, swap);
    case PlyType::kUint32:
      return load_as<std::uint32_t>(from, swap);
    case PlyType::kFloat:
      return load_as<float>(from, swap);
    case PlyType::kDouble:
      return load_as<double>(from, swap);
  }
  return 0;
}

// The rows behind the header. A row's value goes to `values` where the property fills a part, else nowhere.
class BodyReader {
 public:
  BodyReader(const std::string& file, std::string_view bytes, const PlyHeader& header)
      : file_(file), bytes_(bytes), position_(header.size), line_(header.lines), format_(header.format) {}

  Frame read_vertices(const PlyElement& element) {
    PlyRows rows(file_, element);
    check_promise(element);
    rows.allocate(element.count);
    std::vector<int> parts(element.properties.size());
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = rows.part_of(i);
    RowValues values = rows.defaults();
    for (std::uint64_t row = 0; row < element.count; ++row) {
      const std::size_t start = position_;
      read_row(element, parts, values);
      rows.add(values, ascii() ? PlyPlace{"line", line_} : PlyPlace{"byte", start});
    }
    return rows.take();
  }

  void skip(const PlyElement& element) {
    check_promise(element);
    if (element.properties.empty()) return;
    const std::vector<int> parts(element.properties.size(), -1);
    RowValues unused;
    for (std::uint64_t row = 0; row < element.count; ++row) read_row(element, parts, unused);
  }

 private:
  bool ascii() const { return format_ == PlyFormat::kAscii; }

  // Before anything is allocated or looped over: can the file hold the rows its header promises?
  void check_promise(const PlyElement& element) const {
    constexpr std::size_t kAsciiBytes = 2;  // a digit and what separates it from the next
    std::size_t least = 0;
    for (const PlyProperty& property : element.properties)
      least += ascii() ? kAsciiBytes : size_of(property.is_list ? property.count_type : property.type);
    const std::size_t left = bytes_.size() - position_ + (ascii() ? 1 : 0);  // the last line may end without a line end
    if (least > 0 && element.count > left / least)
      fail(fmt::format("the header promises {} {} rows of at least {} bytes, but the file ends after {} bytes", element.count,
                       printable(element.name), least, bytes_.size() - position_));
  }

  void read_row(const PlyElement& element, const std::vector<int>& parts, RowValues& values) {
    if (ascii()) take_text_line(element);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const PlyProperty& property = element.properties[i];
      if (property.is_list) {
        skip_list(property);
        continue;
      }
      const double value = take(property.type);
      if (parts[i] >= 0) values[static_cast<std::size_t>(parts[i])] = value;
    }
    if (ascii() && !take_word(text_).empty()) fail(fmt::format("more values than element {} has properties", printable(element.name)));
  }

  void take_text_line(const PlyElement& element) {
    do {
      if (position_ >= bytes_.size()) fail(fmt::format("the file ends within element {}", printable(element.name)));
      text_ = take_line(bytes_, position_);
      ++line_;
    } while (text_.find_first_not_of(" \t") == std::string_view::npos);
  }

  void skip_list(const PlyProperty& property) {
    const double length = take(property.count_type);
    const std::size_t left = ascii() ? text_.size() : (bytes_.size() - position_) / size_of(property.type);
    if (!(length >= 0 && length <= static_cast<double>(left)))
      fail(fmt::format("list {} has a length of {}, more than the file holds or less than 0", printable(property.name), length));
    if (!ascii()) {
      position_ += static_cast<std::size_t>(length) * size_of(property.type);
      return;
    }
    for (double i = 0; i < length; ++i) take_number();
  }

  double take(PlyType type) {
    if (ascii()) return take_number();
    const std::size_t size = size_of(type);
    if (bytes_.size() - position_ < size) fail("the file ends within a row");
    position_ += size;
    return load(type, bytes_.data() + position_ - size, format_ == PlyFormat::kBigEndian);
  }

  double take_number() {
    const std::string_view word = take_word(text_);
    if (word.empty()) fail("too few values in the row");
    const char* begin = word.data() + (word.front() == '+' ? 1 : 0);
    const char* const end = word.data() + word.size();
    double value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (stop != end || begin == end || error == std::errc::invalid_argument) fail(fmt::format("'{}' is not a number", printable(word)));
    // Beyond double's range: strtod tells the tiny (0) from the huge (infinite).
    return error == std::errc::result_out_of_range ? std::strtod(std::string(word).c_str(), nullptr) : value;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(fmt::format("{}: at {} {}: {}", file_, ascii() ? "line" : "byte", ascii() ? line_ : position_, what));
  }

  const std::string& file_;
  std::string_view bytes_;
  std::size_t position_;
  std::size_t line_;       // ascii: of `text_`, counting from 1
  std::string_view text_;  // ascii: what is left of the row's line
  PlyFormat format_;
};

}  // namespace

Frame parse_ply(const std::string& file, std::string_view bytes) {
  const PlyHeader header = parse_ply_header(file, bytes);
  BodyReader reader(file, bytes, header);
  for (const PlyElement& element : header.elements) {
    if (element.name == "vertex") return reader.read_vertices(element);
    reader.skip(element);
  }
  throw UserError(file + ": no element vertex in the header");
}

Frame read_ply(const std::string& path) { return parse_ply(path, read_file(path)); }

}  // namespace firn
