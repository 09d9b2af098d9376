// The XML of a VTP file: which arrays are fields of a frame, and where their numbers stand.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "core/text.h"
#include "firn/error.h"
#include "frame/attributes.h"
#include "io/particle_files.h"

namespace firn {
namespace {

// A type of numbers that VTK has.
struct VtpType {
  std::string_view name;
  std::size_t bytes;
  double (*load)(const char* from);
};

struct VtpColumn {
  Field field;
  const VtpType* type;
  std::size_t start;  // byte of its first number
};

struct VtpHead {
  std::size_t particles = 0;
  std::vector<VtpColumn> columns;  // all of their numbers are there
  bool double_precision = false;
};

static_assert(std::endian::native == std::endian::little, "load() assumes a little-endian machine");

constexpr std::size_t kLongestHead = std::size_t(1) << 20;  // that of a file with a hundred arrays is 20 kB
constexpr std::string_view kSpaces = " \t\r\n";

template <class T>
T load_as(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
double load(const char* from) {
  return static_cast<double>(load_as<T>(from));
}

constexpr std::array<VtpType, 10> kTypes{{
    {"Int8", 1, load<std::int8_t>},
    {"UInt8", 1, load<std::uint8_t>},
    {"Int16", 2, load<std::int16_t>},
    {"UInt16", 2, load<std::uint16_t>},
    {"Int32", 4, load<std::int32_t>},
    {"UInt32", 4, load<std::uint32_t>},
    {"Int64", 8, load<std::int64_t>},
    {"UInt64", 8, load<std::uint64_t>},
    {"Float32", 4, load<float>},
    {"Float64", 8, load<double>},
}};

// Takes `ending` and the spaces behind it off the end of `text`; false: it ends otherwise.
bool take_ending(std::string_view& text, std::string_view ending) {
  const std::string_view trimmed = text.substr(0, text.find_last_not_of(kSpaces) + 1);
  if (!trimmed.ends_with(ending)) return false;
  text = trimmed.substr(0, trimmed.size() - ending.size());
  return true;
}

class HeadReader {
 public:
  HeadReader(const std::string& file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  VtpHead read() {
    find_data();
    const pugi::xml_node root = document_.child("VTKFile");
    check_kind(root);
    const pugi::xml_node geometry = root.child("PolyData"), piece = the_one(geometry, "Piece");
    check_arrays(geometry.child("FieldData"));
    for (const pugi::xml_node section : piece.children()) check_arrays(section);
    head_.particles = whole(piece, "NumberOfPoints");
    add_column(the_one(the_one(piece, "Points"), "DataArray"), attribute(Field::kPosition));
    for (const pugi::xml_node array : piece.child("PointData").children("DataArray")) add_if_known(array);
    check_columns(piece);
    return std::move(head_);
  }

 private:
  struct Extent {
    std::size_t start, bytes;
  };

  // The XML ends where raw bytes begin, which no XML parser takes.
  void find_data() {
    const std::string_view front = bytes_.substr(0, kLongestHead);
    if (front.find("<VTKFile") == std::string_view::npos) fail(0, "not a VTK file: there is no <VTKFile>");
    const std::size_t tag = front.find("<AppendedData"), tag_end = front.find('>', tag);
    if (tag == std::string_view::npos || tag_end == std::string_view::npos)
      fail(front.size(),
           "there is no <AppendedData> up to here; of VTK's encodings only raw appended data can be read, not ascii or base64");
    begin_ = bytes_.find_first_not_of(kSpaces, tag_end + 1);
    if (begin_ == std::string_view::npos || bytes_[begin_] != '_') fail(tag_end + 1, "the appended data do not start with '_'");
    ++begin_;
    std::string_view data = bytes_;
    if (!take_ending(data, "</VTKFile>") || !take_ending(data, "</AppendedData>") || data.size() < begin_)
      fail(bytes_.size(), "the file does not end with </AppendedData> </VTKFile>: is it cut off?");
    end_ = data.size();
    parse_xml(std::string(front.substr(0, tag_end + 1)) + "</AppendedData></VTKFile>");
  }

  void parse_xml(const std::string& xml) {
    const pugi::xml_parse_result result = document_.load_buffer(xml.data(), xml.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result)
      fail(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), fmt::format("broken XML: {}", result.description()));
  }

  void check_kind(const pugi::xml_node& root) {
    require(root, "type", "PolyData", "");
    require(root, "byte_order", "LittleEndian", "LittleEndian");
    require(root.child("AppendedData"), "encoding", "raw", "base64");
    if (root.attribute("compressor"))
      fail(root, fmt::format("the file is compressed ({}), which is not supported", printable(root.attribute("compressor").value())));
    const std::string_view type = root.attribute("header_type").as_string("UInt32");
    if (type != "UInt32" && type != "UInt64") fail(root, fmt::format("header_type is '{}', it must be UInt32 or UInt64", printable(type)));
    long_lengths_ = type == "UInt64";
  }

  // `otherwise`: what it is where nothing is said.
  void require(const pugi::xml_node& node, const char* name, std::string_view wanted, const char* otherwise) const {
    const std::string_view value = node.attribute(name).as_string(otherwise);
    if (value != wanted) fail(node, fmt::format("{} is '{}', only {} is supported", name, printable(value), wanted));
  }

  pugi::xml_node the_one(const pugi::xml_node& parent, const char* name) const {
    const auto all = parent.children(name);
    const auto found = std::distance(all.begin(), all.end());
    if (found != 1) fail(parent, fmt::format("{} elements {} in <{}>, only one is supported", found, name, printable(parent.name())));
    return *all.begin();
  }

  std::uint64_t whole(const pugi::xml_node& node, const char* name) const {
    const std::string_view text = node.attribute(name).value();
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size())
      fail(node, fmt::format("{} is '{}', it must be a whole number from 0 on", name, printable(text)));
    return value;
  }

  // Checks all arrays, those that are not read, too: where one does not fit, the file is broken.
  void check_arrays(const pugi::xml_node& section) const {
    for (const pugi::xml_node array : section.children("DataArray"))
      if (std::string_view(array.attribute("format").value()) == "appended") extent(array);
  }

  Extent extent(const pugi::xml_node& array) const {
    const std::uint64_t offset = whole(array, "offset"), size = end_ - begin_;
    const std::size_t length_bytes = long_lengths_ ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
    if (offset > size || size - offset < length_bytes)
      fail(array, fmt::format("array '{}' starts {} bytes behind '_', but there are only {}", name_of(array), offset, size));
    const std::size_t start = begin_ + offset + length_bytes;
    const char* const from = bytes_.data() + begin_ + offset;
    const std::uint64_t length = long_lengths_ ? load_as<std::uint64_t>(from) : load_as<std::uint32_t>(from);
    if (length > end_ - start)
      fail(begin_ + offset, fmt::format("array '{}' has {} bytes, but only {} are left", name_of(array), length, end_ - start));
    return {start, length};
  }

  void add_if_known(const pugi::xml_node& array) {
    const Attribute* const known = find_attribute(array.attribute("Name").value());
    if (known != nullptr && known->field != Field::kPosition) add_column(array, *known);
  }

  void add_column(const pugi::xml_node& array, const Attribute& a) {
    for (const VtpColumn& column : head_.columns)
      if (column.field == a.field) fail(array, fmt::format("a second array '{}'", a.name));
    require(array, "format", "appended", "");
    if (array.attribute("NumberOfComponents").as_string("1") != std::to_string(a.components))
      fail(array, fmt::format("array '{}' has {} components, it must have {}", name_of(array),
                              printable(array.attribute("NumberOfComponents").as_string("1")), a.components));
    const VtpType& type = type_of(array);
    const Extent where = extent(array);
    const std::size_t row = static_cast<std::size_t>(a.components) * type.bytes;
    if (where.bytes % row != 0 || where.bytes / row != head_.particles)
      fail(where.start,
           fmt::format("array '{}' has {} bytes, not the {} of each of {} points", name_of(array), where.bytes, row, head_.particles));
    head_.columns.push_back({a.field, &type, where.start});
    head_.double_precision |= a.kind == ValueKind::kReal && type.name == "Float64";
  }

  const VtpType& type_of(const pugi::xml_node& array) const {
    const std::string_view name = array.attribute("type").value();
    const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const VtpType& type) { return type.name == name; });
    if (found == kTypes.end()) fail(array, fmt::format("array '{}' is of type '{}', not of numbers", name_of(array), printable(name)));
    return *found;
  }

  void check_columns(const pugi::xml_node& piece) const {
    std::vector<Field> fields;
    for (const VtpColumn& column : head_.columns) fields.push_back(column.field);
    if (const std::string wrong = complaint(fields); !wrong.empty()) fail(piece, wrong);
  }

  static std::string name_of(const pugi::xml_node& array) { return printable(array.attribute("Name").value()); }

  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& what) const {
    fail(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)), what);
  }
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    throw UserError(fmt::format("{}: at byte {}: {}", file_, at, what));
  }

  const std::string& file_;
  std::string_view bytes_;
  std::size_t begin_ = 0, end_ = 0;  // of the appended data
  bool long_lengths_ = false;        // before every array: 64 bits
  pugi::xml_document document_;
  VtpHead head_;
};

// `file` names it in errors. Throws UserError.
VtpHead parse_vtp_head(const std::string& file, std::string_view bytes) { return HeadReader(file, bytes).read(); }

void read_column(const std::string& file, std::string_view bytes, const VtpColumn& column, Frame& frame) {
  const Attribute& a = attribute(column.field);
  std::size_t at = column.start;
  for (std::size_t p = 0; p < count(frame, column.field); ++p)
    for (int c = 0; c < a.components; ++c, at += column.type->bytes) {
      const double value = column.type->load(bytes.data() + at);
      if (const std::string wrong = complaint(column.field, c, value); !wrong.empty())
        throw UserError(fmt::format("{}: at byte {}: point {}: {}", file, at, p, wrong));
      set(frame, column.field, p, c, value);
    }
}

}  // namespace

Frame parse_vtp(const std::string& file, std::string_view bytes) {
  const VtpHead head = parse_vtp_head(file, bytes);
  Frame frame;
  frame.double_precision = head.double_precision;
  for (const VtpColumn& column : head.columns) {
    resize(frame, column.field, head.particles);
    read_column(file, bytes, column, frame);
  }
  return frame;
}

Frame read_vtp(const std::string& path) { return parse_vtp(path, read_file(path)); }

}  // namespace firn
