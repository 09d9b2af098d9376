#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <pugixml.hpp>
#include <sstream>

#include "core/files.h"
#include "io/particle_files.h"

namespace firn {
namespace {

using Length = std::uint64_t;  // stands before every array

struct NumberType {
  std::string_view name;
  std::size_t bytes;
};
constexpr NumberType kFloat32{"Float32", 4}, kFloat64{"Float64", 8}, kUInt32{"UInt32", 4}, kUInt16{"UInt16", 2}, kInt32{"Int32", 4},
    kInt64{"Int64", 8};

NumberType type_of(ValueKind kind, bool double_precision) {
  if (kind == ValueKind::kUint32) return kUInt32;
  if (kind == ValueKind::kUint16) return kUInt16;
  return double_precision ? kFloat64 : kFloat32;
}

// The XML, which tells where the arrays are going to stand: in the order in which they are declared.
class VtpHead {
 public:
  void text(std::string_view lines) { text_ += lines; }
  void array(std::string_view name, NumberType type, int components, std::size_t tuples) {
    text_ += fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" NumberOfTuples=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
        type.name, name, components, tuples, offset_);
    offset_ += sizeof(Length) + tuples * static_cast<std::size_t>(components) * type.bytes;
  }
  const std::string& str() const { return text_; }

 private:
  std::string text_;
  std::uint64_t offset_ = 0;
};

class VtpWriter {
 public:
  VtpWriter(AtomicFile& file, const FrameView& frame, const FrameNotes& notes)
      : out_(file), frame_(frame), time_(notes.time), order_(frame), fields_(fields_of(frame)) {}

  void write() {
    out_.put_text(make_head());
    put_length(kFloat64, 1);
    out_.put(time_);
    for (const Field field : fields_)
      if (field != Field::kPosition) put_column(field);
    put_column(Field::kPosition);
    if (index_type().bytes == sizeof(std::int32_t)) {
      put_vertices<std::int32_t>();
    } else {
      put_vertices<std::int64_t>();
    }
    out_.put_text("</AppendedData>\n</VTKFile>\n");
    out_.flush();
  }

 private:
  NumberType index_type() const { return frame_.size() <= std::numeric_limits<std::int32_t>::max() ? kInt32 : kInt64; }

  std::string make_head() const {
    const std::size_t n = frame_.size();
    VtpHead head;
    head.text(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n<PolyData>\n");
    head.text("<FieldData>\n");
    head.array("TimeValue", kFloat64, 1, 1);
    head.text(fmt::format(
        "</FieldData>\n<Piece NumberOfPoints=\"{0}\" NumberOfVerts=\"{0}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n",
        n));
    head.text("<PointData>\n");
    for (const Field field : fields_)
      if (field != Field::kPosition) declare(head, attribute(field), attribute(field).name);
    head.text("</PointData>\n<Points>\n");
    declare(head, attribute(Field::kPosition), "Points");
    head.text("</Points>\n<Verts>\n");
    head.array("connectivity", index_type(), 1, n);
    head.array("offsets", index_type(), 1, n);
    head.text("</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
    return head.str();
  }

  void declare(VtpHead& head, const Attribute& a, std::string_view name) const {
    head.array(name, type_of(a.kind, frame_.double_precision), a.components, frame_.size());
  }

  void put_length(NumberType type, std::size_t numbers) { out_.put(static_cast<Length>(numbers * type.bytes)); }

  void put_column(Field field) {
    const Attribute& a = attribute(field);
    put_length(type_of(a.kind, frame_.double_precision), frame_.size() * static_cast<std::size_t>(a.components));
    if (a.kind == ValueKind::kUint32) put_rows([&](std::size_t p) { out_.put(frame_.id[p]); });
    if (a.kind == ValueKind::kUint16) put_rows([&](std::size_t p) { out_.put(frame_.material[p]); });
    if (a.kind != ValueKind::kReal) return;
    if (frame_.double_precision) {
      put_reals<double>(field);
    } else {
      put_reals<float>(field);
    }
  }

  template <class Real>
  void put_reals(Field field) {
    const std::size_t width = static_cast<std::size_t>(attribute(field).components);
    reals(frame_, field).visit([&](auto values) {
      put_rows([&](std::size_t p) {
        for (const auto value : values.subspan(p * width, width)) out_.put(static_cast<Real>(value));
      });
    });
  }

  template <class PutRow>
  void put_rows(PutRow put_row) {
    for (std::size_t row = 0; row < frame_.size(); ++row) put_row(order_[row]);
  }

  // Cell i is point i; its list of points ends with the i+1st entry.
  template <class Index>
  void put_vertices() {
    for (const std::size_t first : {0, 1}) {
      put_length(index_type(), frame_.size());
      for (std::size_t i = 0; i < frame_.size(); ++i) out_.put(static_cast<Index>(first + i));
    }
  }

  FileBuffer out_;
  const FrameView& frame_;
  double time_;  // s
  IdOrder order_;
  std::vector<Field> fields_;
};

}  // namespace

void write_vtp(const std::string& path, const FrameView& frame, const FrameNotes& notes) {
  check_writable(path, frame);
  AtomicFile file(path);
  VtpWriter(file, frame, notes).write();
  file.commit();
}

void write_pvd(const std::string& folder, const std::vector<IndexEntry>& frames, const FrameNotes&) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("VTKFile");
  root.append_attribute("type") = "Collection";
  root.append_attribute("version") = "1.0";
  root.append_attribute("byte_order") = "LittleEndian";
  pugi::xml_node collection = root.append_child("Collection");
  for (const IndexEntry& frame : frames) {
    pugi::xml_node entry = collection.append_child("DataSet");
    entry.append_attribute("timestep") = fmt::format("{}", frame.time).c_str();
    entry.append_attribute("part") = "0";
    entry.append_attribute("file") = frame.file.c_str();
  }
  std::ostringstream text;
  document.save(text, "  ");
  AtomicFile file((std::filesystem::path(folder) / kPvdName).string());
  file.write(text.str());
  file.commit();
}

}  // namespace firn
