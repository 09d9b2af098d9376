#include <fmt/format.h>

#include <bit>
#include <limits>
#include <vector>

#include "core/files.h"
#include "core/text.h"
#include "firn/error.h"
#include "io/particle_files.h"

namespace firn {
namespace {

constexpr std::size_t kNumberBytes = 4;                   // of every number of a point
constexpr std::size_t kPositionBytes = 4 * kNumberBytes;  // x, y, z and a weight

std::uint32_t load_big_endian(const char* from) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < kNumberBytes; ++i) value = value << 8 | static_cast<std::uint8_t>(from[i]);
  return value;
}

// A number of a point as it stands in the file, for any field.
double load(const char* from, BgeoType type, ValueKind kind) {
  const std::uint32_t bits = load_big_endian(from);
  if (type != BgeoType::kInt) return std::bit_cast<float>(bits);
  if (kind == ValueKind::kUint32) return bits;  // there are only signed ones in the format: ids above 2^31 look negative
  return std::bit_cast<std::int32_t>(bits);
}

struct Header {
  std::uint32_t points, primitives, point_groups, primitive_groups;
  std::uint32_t point_attributes, vertex_attributes, primitive_attributes, detail_attributes;

  bool points_only() const { return (primitives | point_groups | primitive_groups | vertex_attributes | primitive_attributes) == 0; }
};

struct Definition {
  std::string_view name;
  std::size_t size;
  BgeoType type;
};

// A field and where it stands in the bytes of a point.
struct Column {
  Field field;
  BgeoType type;
  std::size_t offset;
};

class BgeoReader {
 public:
  BgeoReader(const std::string& file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  Frame read() {
    take_magic();
    const Header header = take_header();
    columns_.push_back({Field::kPosition, BgeoType::kFloat, 0});
    std::uint64_t row_bytes = kPositionBytes;
    for (std::uint32_t i = 0; i < header.point_attributes; ++i) {
      const std::size_t start = position_;
      const Definition definition = take_definition();
      add_column(definition, row_bytes, start);
      row_bytes += definition.size * kNumberBytes;
    }
    take_points(header.points, row_bytes);
    if (header.points_only()) take_rest(header.detail_attributes);  // otherwise: nothing that a frame could keep
    return std::move(frame_);
  }

 private:
  void take_magic() {
    if (bytes_.starts_with("\x7fNSJ"))
      fail(0, "this is the newer format of Houdini; only the classic one can be read, which Houdini writes to .bhclassic files");
    if (bytes_.starts_with("\x1f\x8b")) fail(0, "the file is compressed; gunzip it first");
    if (!bytes_.starts_with(kBgeoMagic)) fail(0, fmt::format("not a BGEO file: it does not start with '{}'", kBgeoMagic));
    position_ = kBgeoMagic.size();
    const std::int32_t version = take_int();
    if (version != kBgeoVersion) fail(kBgeoMagic.size(), fmt::format("version {} is not supported, it must be {}", version, kBgeoVersion));
  }

  Header take_header() {
    Header h{};
    for (std::uint32_t* count : {&h.points, &h.primitives, &h.point_groups, &h.primitive_groups, &h.point_attributes, &h.vertex_attributes,
                                 &h.primitive_attributes, &h.detail_attributes})
      *count = take_count("a count in the header");
    return h;
  }

  Definition take_definition() {
    Definition d{take_string(), 0, BgeoType::kFloat};
    d.size = take_uint16();
    const std::size_t start = position_;
    const std::int32_t type = take_int();
    d.type = static_cast<BgeoType>(type);
    switch (d.type) {
      case BgeoType::kFloat:
      case BgeoType::kInt:
      case BgeoType::kVector: skip(d.size * kNumberBytes, "the default of an attribute"); return d;
      case BgeoType::kIndex:
        for (std::uint32_t strings = take_count("the number of strings"); strings > 0; --strings) take_string();
        return d;
      case BgeoType::kString:
      case BgeoType::kMixed: break;
    }
    fail(start, fmt::format("attribute '{}' is of type {}; supported: 0 float, 1 int, 4 index, 5 vector", printable(d.name), type));
  }

  void add_column(const Definition& definition, std::uint64_t offset, std::size_t start) {
    if (definition.type == BgeoType::kIndex) return;  // a text, whatever its name
    for (const Attribute& a : kAttributes) {
      if (a.field == Field::kPosition || bgeo_name(a.field) != definition.name) continue;
      if (definition.size != static_cast<std::size_t>(a.components))
        fail(start, fmt::format("attribute '{}' has {} numbers, it must have {}", definition.name, definition.size, a.components));
      for (const Column& column : columns_)
        if (column.field == a.field) fail(start, fmt::format("a second attribute '{}'", definition.name));
      columns_.push_back({a.field, definition.type, offset});
    }
  }

  void take_points(std::uint64_t points, std::uint64_t row_bytes) {
    check_columns();
    const std::size_t left = bytes_.size() - position_;
    if (points > left / row_bytes)
      fail(position_, fmt::format("the header promises {} points of {} bytes, but the file ends after {} bytes", points, row_bytes, left));
    for (const Column& column : columns_) resize(frame_, column.field, points);
    for (std::size_t p = 0; p < points; ++p, position_ += row_bytes)
      for (const Column& column : columns_) take_field(column, p);
  }

  void check_columns() const {
    std::vector<Field> fields;
    for (const Column& column : columns_) fields.push_back(column.field);
    if (const std::string wrong = complaint(fields); !wrong.empty()) fail(position_, wrong);
  }

  void take_field(const Column& column, std::size_t p) {
    const Attribute& a = attribute(column.field);
    for (int c = 0; c < a.components; ++c) {
      const std::size_t at = position_ + column.offset + static_cast<std::size_t>(c) * kNumberBytes;
      const double value = load(bytes_.data() + at, column.type, a.kind);
      if (const std::string wrong = complaint(column.field, c, value); !wrong.empty()) fail(at, fmt::format("point {}: {}", p, wrong));
      set(frame_, column.field, p, c, value);
    }
  }

  // Attributes of the whole and, up to the end, what programs keep for themselves.
  void take_rest(std::uint32_t detail_attributes) {
    std::size_t values = 0;
    for (std::uint32_t i = 0; i < detail_attributes; ++i) values += take_definition().size;
    skip(values * kNumberBytes, "the detail attributes");
    const std::string_view rest = bytes_.substr(position_);
    if (rest.size() < kBgeoEnd.size() || rest.front() != kBgeoEnd.front() || rest.back() != kBgeoEnd.back())
      fail(position_, "the file does not end as it should (bytes 0x00 0xff): is it cut off?");
  }

  const char* skip(std::size_t size, const char* what) {
    if (bytes_.size() - position_ < size) fail(position_, fmt::format("the file ends within {}", what));
    position_ += size;
    return bytes_.data() + position_ - size;
  }

  std::int32_t take_int() { return std::bit_cast<std::int32_t>(load_big_endian(skip(kNumberBytes, "a number"))); }

  std::uint32_t take_count(const char* what) {
    const std::int32_t count = take_int();
    if (count < 0) fail(position_ - kNumberBytes, fmt::format("{} is {}, it must not be negative", what, count));
    return static_cast<std::uint32_t>(count);
  }

  std::uint16_t take_uint16() {
    const char* const from = skip(sizeof(std::uint16_t), "a number");
    return static_cast<std::uint16_t>(static_cast<std::uint8_t>(from[0]) << 8 | static_cast<std::uint8_t>(from[1]));
  }

  // Its length is 16 bits, or -1 in these and 32 more.
  std::string_view take_string() {
    constexpr std::uint16_t kLong = 0xffff, kLongest = 0x7fff;
    const std::size_t start = position_;
    std::size_t length = take_uint16();
    if (length == kLong) {
      length = take_count("the length of a text");
    } else if (length > kLongest) {
      fail(start, "the length of a text is negative");
    }
    return {skip(length, "a text"), length};
  }

  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    throw UserError(fmt::format("{}: at byte {}: {}", file_, at, what));
  }

  const std::string& file_;
  std::string_view bytes_;
  std::size_t position_ = 0;
  std::vector<Column> columns_;
  Frame frame_;
};

}  // namespace

Frame parse_bgeo(const std::string& file, std::string_view bytes) { return BgeoReader(file, bytes).read(); }

Frame read_bgeo(const std::string& path) { return parse_bgeo(path, read_file(path)); }

namespace {

BgeoType type_of(const Attribute& a) {
  if (a.kind != ValueKind::kReal) return BgeoType::kInt;
  return a.components == 3 ? BgeoType::kVector : BgeoType::kFloat;  // vectors turn with the geometry
}

class BgeoWriter {
 public:
  BgeoWriter(AtomicFile& file, const FrameView& frame) : out_(file), frame_(frame), position_(reals(frame, Field::kPosition)) {
    for (const Field field : fields_of(frame))
      if (field != Field::kPosition) attributes_.push_back({attribute(field), reals(frame, field)});
  }

  void write() {
    put_header();
    for (const Column& column : attributes_) put_definition(column.about);
    const IdOrder order(frame_);
    for (std::size_t row = 0; row < frame_.size(); ++row) put_point(order[row]);
    out_.put_text(kBgeoEnd);
    out_.flush();
  }

 private:
  struct Column {
    const Attribute& about;
    Numbers values;
  };

  void put_int(std::size_t value) { out_.put_big_endian(static_cast<std::int32_t>(value)); }
  void put_float(double value) { out_.put_big_endian(static_cast<float>(value)); }

  void put_header() {
    out_.put_text(kBgeoMagic);
    out_.put_big_endian(kBgeoVersion);
    put_int(frame_.size());
    for (int i = 0; i < 3; ++i) put_int(0);  // primitives, point groups, primitive groups
    put_int(attributes_.size());
    for (int i = 0; i < 3; ++i) put_int(0);  // attributes of vertices, of primitives, of the whole
  }

  void put_definition(const Attribute& a) {
    const std::string_view name = bgeo_name(a.field);
    out_.put_big_endian(static_cast<std::uint16_t>(name.size()));
    out_.put_text(name);
    out_.put_big_endian(static_cast<std::uint16_t>(a.components));
    out_.put_big_endian(type_of(a));
    for (int c = 0; c < a.components; ++c) put_int(0);  // what points without a value would have
  }

  void put_point(std::size_t p) {
    for (std::size_t c = 0; c < 3; ++c) put_float(position_[3 * p + c]);
    put_float(1);  // w, the weight
    for (const Column& column : attributes_) {
      if (column.about.kind == ValueKind::kUint32) out_.put_big_endian(frame_.id[p]);
      if (column.about.kind == ValueKind::kUint16) put_int(frame_.material[p]);
      if (column.about.kind != ValueKind::kReal) continue;
      const std::size_t width = static_cast<std::size_t>(column.about.components);
      for (const double value : column.values.subspan(p * width, width)) put_float(value);
    }
  }

  FileBuffer out_;
  const FrameView& frame_;
  Numbers position_;
  std::vector<Column> attributes_;
};

}  // namespace

void write_bgeo(const std::string& path, FrameView frame) {
  frame.double_precision = false;
  check_writable(path, frame);
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  if (frame.size() > kMost)
    throw RunError(fmt::format("{}: cannot write: {} particles, more than the {} a .bgeo can have", path, frame.size(), kMost));
  AtomicFile file(path);
  BgeoWriter(file, frame).write();
  file.commit();
}

}  // namespace firn
