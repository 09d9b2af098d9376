#include <fmt/format.h>

#include <limits>

#include "firn/error.h"
#include "io/bgeo.h"
#include "io/file_buffer.h"

namespace firn {
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
