#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <pugixml.hpp>
#include <sstream>
#include <type_traits>

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

// A column of a file.
struct VtpArray {
  std::string_view name;
  NumberType type;
  int components;
  std::function<void(FileBuffer& out)> put;  // its numbers, point after point
};

// Every point is a vertex cell as well. The last of the arrays is where the points are.
class VtpWriter {
 public:
  VtpWriter(AtomicFile& file, std::size_t points, double time) : out_(file), points_(points), time_(time) {}

  void write(const std::vector<VtpArray>& arrays) {
    out_.put_text(make_head(arrays));
    put_length(kFloat64, 1);
    out_.put(time_);
    for (const VtpArray& array : arrays) {
      put_length(array.type, points_ * static_cast<std::size_t>(array.components));
      array.put(out_);
    }
    if (index_type().bytes == sizeof(std::int32_t)) {
      put_vertices<std::int32_t>();
    } else {
      put_vertices<std::int64_t>();
    }
    out_.put_text("</AppendedData>\n</VTKFile>\n");
    out_.flush();
  }

 private:
  NumberType index_type() const { return points_ <= std::numeric_limits<std::int32_t>::max() ? kInt32 : kInt64; }

  std::string make_head(const std::vector<VtpArray>& arrays) const {
    VtpHead head;
    const auto declare = [&](const VtpArray& array) { head.array(array.name, array.type, array.components, points_); };
    head.text(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n<PolyData>\n");
    head.text("<FieldData>\n");
    head.array("TimeValue", kFloat64, 1, 1);
    head.text(fmt::format(
        "</FieldData>\n<Piece NumberOfPoints=\"{0}\" NumberOfVerts=\"{0}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n",
        points_));
    head.text("<PointData>\n");
    std::for_each(arrays.begin(), arrays.end() - 1, declare);
    head.text("</PointData>\n<Points>\n");
    declare(arrays.back());
    head.text("</Points>\n<Verts>\n");
    head.array("connectivity", index_type(), 1, points_);
    head.array("offsets", index_type(), 1, points_);
    head.text("</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
    return head.str();
  }

  void put_length(NumberType type, std::size_t numbers) { out_.put(static_cast<Length>(numbers * type.bytes)); }

  // Cell i is point i; its list of points ends with the i+1st entry.
  template <class Index>
  void put_vertices() {
    for (const std::size_t first : {0, 1}) {
      put_length(index_type(), points_);
      for (std::size_t i = 0; i < points_; ++i) out_.put(static_cast<Index>(first + i));
    }
  }

  FileBuffer out_;
  std::size_t points_;
  double time_;  // s
};

constexpr std::string_view kPointsName = "Points";

// The columns of a frame, its rows in the order of their ids.
class FrameArrays {
 public:
  explicit FrameArrays(const FrameView& frame) : frame_(frame), order_(frame) {}

  std::vector<VtpArray> all() const {
    std::vector<VtpArray> arrays;
    for (const Field field : fields_of(frame_))
      if (field != Field::kPosition) arrays.push_back(of(field, attribute(field).name));
    arrays.push_back(of(Field::kPosition, kPointsName));
    return arrays;
  }

 private:
  VtpArray of(Field field, std::string_view name) const {
    const Attribute& a = attribute(field);
    return {name, type_of(a.kind, frame_.double_precision), a.components, [this, field](FileBuffer& out) { put(field, out); }};
  }

  void put(Field field, FileBuffer& out) const {
    const ValueKind kind = attribute(field).kind;
    if (kind == ValueKind::kUint32) put_rows([&](std::size_t p) { out.put(frame_.id[p]); });
    if (kind == ValueKind::kUint16) put_rows([&](std::size_t p) { out.put(frame_.material[p]); });
    if (kind != ValueKind::kReal) return;
    if (frame_.double_precision) {
      put_reals<double>(field, out);
    } else {
      put_reals<float>(field, out);
    }
  }

  template <class Real>
  void put_reals(Field field, FileBuffer& out) const {
    const std::size_t width = static_cast<std::size_t>(attribute(field).components);
    reals(frame_, field).visit([&](auto values) {
      put_rows([&](std::size_t p) {
        for (const auto value : values.subspan(p * width, width)) out.put(static_cast<Real>(value));
      });
    });
  }

  template <class PutRow>
  void put_rows(PutRow put_row) const {
    for (std::size_t row = 0; row < frame_.size(); ++row) put_row(order_[row]);
  }

  const FrameView& frame_;
  IdOrder order_;
};

template <class Real>
std::vector<VtpArray> grid_arrays(const GridFields& grid, const std::vector<GridField>& which) {
  const NumberType type = type_of(ValueKind::kReal, std::is_same_v<Real, double>);
  const auto put_vectors = [](const std::vector<Vector>& vectors) {
    return [&vectors](FileBuffer& out) {
      for (const Vector& v : vectors)
        for (const double component : v) out.put(static_cast<Real>(component));
    };
  };
  std::vector<VtpArray> arrays;
  for (const GridField field : which) {
    const std::string_view name = kGridFieldNames[static_cast<int>(field)];
    switch (field) {
      case GridField::kMass:
        arrays.push_back({name, type, 1, [&grid](FileBuffer& out) {
                            for (const double mass : grid.mass) out.put(static_cast<Real>(mass));
                          }});
        break;
      case GridField::kVelocity: arrays.push_back({name, type, 3, put_vectors(grid.velocity)}); break;
      case GridField::kForce: arrays.push_back({name, type, 3, put_vectors(grid.force)}); break;
    }
  }
  arrays.push_back({kPointsName, type, 3, [&grid](FileBuffer& out) {
                      for (const auto& node : grid.node)
                        for (const std::int32_t i : node) out.put(static_cast<Real>(i * grid.spacing));
                    }});
  return arrays;
}

}  // namespace

void write_vtp(const std::string& path, const FrameView& frame, const FrameNotes& notes) {
  check_writable(path, frame);
  AtomicFile file(path);
  VtpWriter(file, frame.size(), notes.time).write(FrameArrays(frame).all());
  file.commit();
}

void write_grid_vtp(const std::string& path, const GridFields& grid, const std::vector<GridField>& which, double time) {
  AtomicFile file(path);
  VtpWriter writer(file, grid.size(), time);
  writer.write(grid.double_precision ? grid_arrays<double>(grid, which) : grid_arrays<float>(grid, which));
  file.commit();
}

void write_pvd(const std::string& folder, const std::vector<IndexEntry>& frames, const FrameNotes&) {
  write_collection((std::filesystem::path(folder) / kPvdName).string(), frames);
}

void write_collection(const std::string& path, const std::vector<IndexEntry>& frames) {
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
  AtomicFile file(path);
  file.write(text.str());
  file.commit();
}

}  // namespace firn
