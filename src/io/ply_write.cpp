#include <fmt/format.h>

#include <cstring>
#include <string>

#include "core/files.h"
#include "firn/error.h"
#include "firn/frame.h"
#include "io/particle_files.h"

namespace firn {
namespace {

constexpr std::size_t kBufferBytes = std::size_t(1) << 20;  // few system calls, still in the cache

std::string_view type_name(ValueKind kind, bool double_precision) {
  if (kind == ValueKind::kUint32) return "uint";
  if (kind == ValueKind::kUint16) return "ushort";
  return double_precision ? "double" : "float";
}

std::string make_header(std::size_t count, const std::vector<Field>& fields, bool double_precision) {
  std::string text = fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex {}\n", count);
  for (const Field field : fields) {
    const Attribute& a = attribute(field);
    for (int c = 0; c < a.components; ++c)
      text += fmt::format("property {} {}\n", type_name(a.kind, double_precision), a.parts[static_cast<std::size_t>(c)]);
  }
  return text + "end_header\n";
}

// Rows of one real type, gathered in a buffer.
template <class Real>
class RowWriter {
 public:
  RowWriter(AtomicFile& file, const FrameView& frame, const std::vector<Field>& fields)
      : file_(file), f_(frame), buffer_(kBufferBytes, '\0') {
    for (const Field field : fields)
      columns_.push_back({attribute(field).kind, static_cast<std::size_t>(attribute(field).components), reals(frame, field)});
  }

  void put_row(std::size_t p) {
    constexpr std::size_t kLongestRow = kFields * 9 * sizeof(double);
    if (used_ + kLongestRow > buffer_.size()) flush();
    for (const Column& column : columns_) {
      if (column.kind == ValueKind::kUint32) put(f_.id[p]);
      if (column.kind == ValueKind::kUint16) put(f_.material[p]);
      if (column.kind != ValueKind::kReal) continue;
      for (const double value : column.values.subspan(p * column.width, column.width)) put(static_cast<Real>(value));
    }
  }

  void flush() {
    file_.write(std::string_view(buffer_).substr(0, used_));
    used_ = 0;
  }

 private:
  struct Column {
    ValueKind kind;
    std::size_t width;
    Numbers values;
  };

  template <class T>
  void put(T value) {
    std::memcpy(buffer_.data() + used_, &value, sizeof(T));
    used_ += sizeof(T);
  }

  AtomicFile& file_;
  const FrameView& f_;
  std::vector<Column> columns_;
  std::string buffer_;
  std::size_t used_ = 0;
};

}  // namespace

PlyWriter::PlyWriter(std::string path, std::size_t count) : path_(std::move(path)), count_(count), file_(path_) {}

template <class Real>
void PlyWriter::write_rows(const FrameView& piece) {
  const IdOrder order(piece);
  RowWriter<Real> writer(file_, piece, fields_);
  for (std::size_t row = 0; row < piece.size(); ++row) writer.put_row(order[row]);
  writer.flush();
  written_ += piece.size();
}

void PlyWriter::append(const FrameView& piece) {
  if (piece.size() == 0 && count_ > 0) return;  // it cannot tell which columns there are
  check_writable(path_, piece);
  if (fields_.empty()) {
    fields_ = fields_of(piece);
    file_.write(make_header(count_, fields_, piece.double_precision));
  }
  if (fields_of(piece) != fields_) throw RunError(fmt::format("{}: cannot write: its pieces have different columns", path_));
  if (piece.double_precision) {
    write_rows<double>(piece);
  } else {
    write_rows<float>(piece);
  }
}

void PlyWriter::commit() {
  if (fields_.empty()) append(FrameView());
  if (written_ != count_) throw RunError(fmt::format("{}: cannot write: {} particles of {}", path_, written_, count_));
  file_.commit();
}

void write_ply(const std::string& path, const Frame& frame) { write_ply(path, FrameView(frame)); }

void write_ply(const std::string& path, const FrameView& frame) {
  PlyWriter writer(path, frame.size());
  writer.append(frame);
  writer.commit();
}

}  // namespace firn
