#include "io/ply_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/text.h"
#include "firn/error.h"

namespace firn {
namespace {

constexpr std::string_view kPlyBlanks = " \t\v\f";

// Both naming styles in use; the order is PlyType's.
constexpr std::pair<std::string_view, std::string_view> kTypeNames[] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                                                        {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                                                        {"float", "float32"}, {"double", "float64"}};

class HeaderParser {
 public:
  HeaderParser(const std::string& file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  PlyHeader parse() {
    if (take_line(bytes_, header_.size) != "ply") throw UserError(file_ + ": not a PLY file: it does not start with the line 'ply'");
    header_.lines = 1;
    while (parse_line()) {
    }
    if (!has_format_) fail("the header has no 'format' line");
    return std::move(header_);
  }

 private:
  bool parse_line() {
    if (header_.size >= bytes_.size()) fail("the header has no 'end_header' line");
    line_ = take_line(bytes_, header_.size);
    ++header_.lines;
    const std::string_view keyword = take_word(line_);
    if (keyword == "end_header") return false;
    if (keyword.empty() || keyword == "comment" || keyword == "obj_info") return true;
    if (keyword == "format") {
      parse_format();
    } else if (keyword == "element") {
      parse_element();
    } else if (keyword == "property") {
      parse_property();
    } else {
      fail(fmt::format("'{}' is no header keyword; allowed: format, comment, obj_info, element, property, end_header", printable(keyword)));
    }
    if (const std::string_view rest = take_word(line_); !rest.empty()) fail(fmt::format("unexpected '{}'", printable(rest)));
    return true;
  }

  void parse_format() {
    const std::string_view name = take_word(line_);
    if (has_format_) fail("a second 'format' line");
    if (name == "ascii") {
      header_.format = PlyFormat::kAscii;
    } else if (name == "binary_little_endian") {
      header_.format = PlyFormat::kLittleEndian;
    } else if (name == "binary_big_endian") {
      header_.format = PlyFormat::kBigEndian;
    } else {
      fail(fmt::format("unknown format '{}'; allowed: ascii, binary_little_endian, binary_big_endian", printable(name)));
    }
    if (const std::string_view version = take_word(line_); version != "1.0")
      fail(fmt::format("unknown version '{}'; allowed: 1.0", printable(version)));
    has_format_ = true;
  }

  void parse_element() {
    PlyElement element;
    element.name = take_word(line_);
    if (element.name.empty()) fail("an element without a name");
    const std::string_view count = take_word(line_);
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), element.count);
    if (count.empty() || error != std::errc() || end != count.data() + count.size())
      fail(fmt::format("element {}: '{}' is not a count", printable(element.name), printable(count)));
    const auto same = [&](const PlyElement& other) { return other.name == element.name; };
    if (std::any_of(header_.elements.begin(), header_.elements.end(), same)) fail("a second element " + printable(element.name));
    header_.elements.push_back(std::move(element));
  }

  void parse_property() {
    if (header_.elements.empty()) fail("a property before any element");
    PlyProperty property;
    std::string_view type = take_word(line_);
    property.is_list = type == "list";
    if (property.is_list) {
      property.count_type = parse_type(take_word(line_));
      if (property.count_type == PlyType::kFloat || property.count_type == PlyType::kDouble)
        fail("the length of a list must be a whole number");
      type = take_word(line_);
    }
    property.type = parse_type(type);
    property.name = take_word(line_);
    if (property.name.empty()) fail("a property without a name");
    std::vector<PlyProperty>& properties = header_.elements.back().properties;
    const auto same = [&](const PlyProperty& other) { return other.name == property.name; };
    if (std::any_of(properties.begin(), properties.end(), same)) fail("a second property " + printable(property.name));
    properties.push_back(std::move(property));
  }

  PlyType parse_type(std::string_view name) const {
    int index = 0;
    for (const auto& [classic, sized] : kTypeNames) {
      if (name == classic || name == sized) return static_cast<PlyType>(index);
      ++index;
    }
    fail(fmt::format("unknown type '{}'; allowed: char, uchar, short, ushort, int, uint, float, double", printable(name)));
  }

  [[noreturn]] void fail(const std::string& what) const { throw UserError(fmt::format("{}: at line {}: {}", file_, header_.lines, what)); }

  const std::string& file_;
  std::string_view bytes_;
  std::string_view line_;
  PlyHeader header_;
  bool has_format_ = false;
};

}  // namespace

std::size_t size_of(PlyType type) {
  switch (type) {
    case PlyType::kInt8:
    case PlyType::kUint8: return 1;
    case PlyType::kInt16:
    case PlyType::kUint16: return 2;
    case PlyType::kDouble: return 8;
    default: return 4;
  }
}

std::string_view take_line(std::string_view bytes, std::size_t& position) {
  const std::size_t end = std::min(bytes.find('\n', position), bytes.size());
  std::string_view line = bytes.substr(position, end - position);
  position = std::min(end + 1, bytes.size());
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::string_view take_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(kPlyBlanks), line.size());
  const std::size_t end = std::min(line.find_first_of(kPlyBlanks, begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

PlyHeader parse_ply_header(const std::string& file, std::string_view bytes) { return HeaderParser(file, bytes).parse(); }

}  // namespace firn
