// From the values of one vertex row to the columns of a Frame, with every value checked.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/files.h"
#include "core/text.h"
#include "firn/error.h"
#include "frame/attributes.h"
#include "io/particle_files.h"
#include "io/ply_header.h"

namespace firn {
namespace {

// The components of all attributes in a row: those of kAttributes[i] from first_part(i) on.
constexpr int first_part(int index) {
  int parts = 0;
  for (int i = 0; i < index; ++i) parts += kAttributes[static_cast<std::size_t>(i)].components;
  return parts;
}
constexpr int first_part(Field field) { return first_part(static_cast<int>(field)); }
inline constexpr int kParts = first_part(kFields);
using RowValues = std::array<double, kParts>;

// Where a row stands in its file, for messages: "line 12" or "byte 3456".
struct PlyPlace {
  const char* unit;
  std::size_t at;
};

class PlyRows {
 public:
  // Throws UserError when the element's properties do not make a frame (no x, half a matrix, ...).
  PlyRows(const std::string& file, const PlyElement& vertex);

  // The part of a row that property `index` of the element fills; -1: none.
  int part_of(std::size_t index) const { return part_of_[index]; }
  // What the parts are that a 2D file leaves out; the others are to be filled from the row.
  const RowValues& defaults() const { return defaults_; }

  // The caller has checked that the file can hold so many.
  void allocate(std::size_t rows);
  // Throws UserError naming the row when a value is not allowed.
  void add(const RowValues& values, const PlyPlace& place);

  Frame take() { return std::move(frame_); }

 private:
  bool has(int part) const { return has_[static_cast<std::size_t>(part)]; }
  bool has(const Attribute& a) const { return has(first_part(a.field)); }
  // Text can say numbers that are infinite in the file's precision.
  double as_declared(double value) const;
  void require_vector(const Attribute& vector) const;
  void require_matrix(const Attribute& matrix) const;

  const std::string& file_;
  std::vector<int> part_of_;
  std::array<bool, kParts> has_{};
  RowValues defaults_{};
  std::vector<Field> present_;
  Frame frame_;
  std::size_t row_ = 0;
};

// Entries 00 01 10 11 of a 3×3 matrix stored row by row: all that a 2D file needs to have.
constexpr bool in_plane(int entry) { return entry / 3 < 2 && entry % 3 < 2; }

// -1: no component has that name.
int find_part(std::string_view name) {
  for (const Attribute& a : kAttributes)
    for (int c = 0; c < a.components; ++c)
      if (a.parts[static_cast<std::size_t>(c)] == name) return first_part(a.field) + c;
  return -1;
}

PlyRows::PlyRows(const std::string& file, const PlyElement& vertex) : file_(file), part_of_(vertex.properties.size(), -1) {
  for (std::size_t i = 0; i < vertex.properties.size(); ++i) {
    const PlyProperty& property = vertex.properties[i];
    const int part = find_part(property.name);
    if (part < 0) continue;
    if (property.is_list) throw UserError(fmt::format("{}: vertex property {} is a list, it must be one number", file_, property.name));
    part_of_[i] = part;
    has_[static_cast<std::size_t>(part)] = true;
    frame_.double_precision |= property.type == PlyType::kDouble;
  }
  if (!has(first_part(Field::kPosition))) throw UserError(fmt::format("{}: element vertex has no property x", file_));
  for (const Attribute& a : kAttributes) {
    if (a.components == 3) require_vector(a);
    if (a.components == 9) require_matrix(a);
    if (has(a)) present_.push_back(a.field);
  }
  if (const std::string wrong = complaint(present_); !wrong.empty()) throw UserError(fmt::format("{}: vertex properties {}", file_, wrong));
  for (int entry = 0; entry < 9; entry += 4) defaults_[static_cast<std::size_t>(first_part(Field::kFe) + entry)] = 1;
}

// A vector needs its first two components; the third is 0 in 2D.
void PlyRows::require_vector(const Attribute& vector) const {
  const int first = first_part(vector.field);
  const bool some = has(first) || has(first + 1) || has(first + 2);
  for (int c = 0; some && c < 2; ++c)
    if (!has(first + c))
      throw UserError(fmt::format("{}: element vertex has no property {}", file_, vector.parts[static_cast<std::size_t>(c)]));
}

void PlyRows::require_matrix(const Attribute& matrix) const {
  const int first = first_part(matrix.field);
  int count = 0, in_plane_count = 0;
  for (int entry = 0; entry < 9; ++entry) {
    count += has(first + entry);
    in_plane_count += in_plane(entry) && has(first + entry);
  }
  if (count == 0 || count == 9 || (count == 4 && in_plane_count == 4)) return;
  throw UserError(
      fmt::format("{0}: element vertex has only {1} of the properties {2}00 ... {2}22; allowed: all nine, or {2}00 {2}01 {2}10 {2}11",
                  file_, count, matrix.name));
}

double PlyRows::as_declared(double value) const {
  const bool fits = frame_.double_precision || std::abs(value) <= std::numeric_limits<float>::max() || std::isnan(value);
  return fits ? value : std::copysign(std::numeric_limits<double>::infinity(), value);
}

void PlyRows::allocate(std::size_t rows) {
  for (const Field field : present_) resize(frame_, field, rows);
}

void PlyRows::add(const RowValues& values, const PlyPlace& place) {
  for (const Field field : present_)
    for (int c = 0; c < attribute(field).components; ++c) {
      const double value = as_declared(values[static_cast<std::size_t>(first_part(field) + c)]);
      if (const std::string wrong = complaint(field, c, value); !wrong.empty())
        throw UserError(fmt::format("{}: at {} {}: vertex {}: {}", file_, place.unit, place.at, row_, wrong));
      set(frame_, field, row_, c, value);
    }
  ++row_;
}

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
    case PlyType::kInt8: return load_as<std::int8_t>(from, swap);
    case PlyType::kUint8: return load_as<std::uint8_t>(from, swap);
    case PlyType::kInt16: return load_as<std::int16_t>(from, swap);
    case PlyType::kUint16: return load_as<std::uint16_t>(from, swap);
    case PlyType::kInt32: return load_as<std::int32_t>(from, swap);
    case PlyType::kUint32: return load_as<std::uint32_t>(from, swap);
    case PlyType::kFloat: return load_as<float>(from, swap);
    case PlyType::kDouble: return load_as<double>(from, swap);
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
