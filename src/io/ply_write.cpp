#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

#include "firn/error.h"
#include "firn/frame.h"
#include "io/file.h"
#include "io/ply_fields.h"
#include "io/ply_writer.h"

namespace firn {
namespace {

constexpr std::size_t kBufferBytes = std::size_t(1) << 20;  // few system calls, still in the cache

// Which columns go into the file. A column the frame lacks is left out; without particles all of them are "there".
struct Columns {
  bool id, velocity, mass, volume, jp, je, material, fe, b;
  std::array<bool, kParameters.size()> parameters{};
};

bool has_column(const std::string& path, std::size_t entries, std::size_t particles) {
  if (entries != 0 && entries != particles)
    throw RunError(fmt::format("{}: cannot write: a column of {} values for {} particles", path, entries, particles));
  return entries == particles;
}

Columns choose_columns(const std::string& path, const Frame& f, const PlyOptions& options) {
  const auto has = [&](const auto& column) { return has_column(path, column.size(), f.size()); };
  Columns c{has(f.id), has(f.velocity), has(f.mass), has(f.volume), has(f.jp), has(f.je), has(f.material), has(f.fe), has(f.b)};
  if (options.complete && !c.fe) throw RunError(fmt::format("{}: cannot write: a complete frame needs F_E", path));
  c.fe = options.complete;
  c.b = options.complete && !f.b.empty();
  for (std::size_t k = 0; k < kParameters.size(); ++k)
    c.parameters[k] = has(f.*kParameters[k].column) && options.complete && !(f.*kParameters[k].column).empty();
  return c;
}

std::string make_header(std::size_t count, const Columns& c, const char* real) {
  std::string text = fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex {}\n", count);
  const auto add = [&text](bool there, const char* type, int first, int count) {
    for (int field = first; there && field < first + count; ++field) text += fmt::format("property {} {}\n", type, kFieldNames[field]);
  };
  add(c.id, "uint", kFieldId, 1);
  add(true, real, kFieldPosition, 3);
  add(c.velocity, real, kFieldVelocity, 3);
  add(c.mass, real, kFieldMass, 1);
  add(c.volume, real, kFieldVolume, 1);
  add(c.jp, real, kFieldJp, 1);
  add(c.je, real, kFieldJe, 1);
  add(c.material, "ushort", kFieldMaterial, 1);
  add(c.fe, real, kFieldFe, 9);
  add(c.b, real, kFieldB, 9);
  for (std::size_t k = 0; k < kParameters.size(); ++k) add(c.parameters[k], real, kParameters[k].field, 1);
  return text + "end_header\n";
}

// Rows of one real type, gathered in a buffer.
template <class Real>
class RowWriter {
 public:
  RowWriter(AtomicFile& file, const Frame& frame, const Columns& columns)
      : file_(file), f_(frame), c_(columns), buffer_(kBufferBytes, '\0') {}

  // False when a value is not finite, or not in Real: such a file could not be read again.
  bool put_row(std::size_t p) {
    constexpr std::size_t kLongestRow = kFieldCount * sizeof(double);
    if (used_ + kLongestRow > buffer_.size()) flush();
    finite_ = true;
    if (c_.id) put(f_.id[p]);
    put_reals(f_.position[p]);
    if (c_.velocity) put_reals(f_.velocity[p]);
    if (c_.mass) put_real(f_.mass[p]);
    if (c_.volume) put_real(f_.volume[p]);
    if (c_.jp) put_real(f_.jp[p]);
    if (c_.je) put_real(f_.je[p]);
    if (c_.material) put(f_.material[p]);
    if (c_.fe) put_reals(f_.fe[p]);
    if (c_.b) put_reals(f_.b[p]);
    for (std::size_t k = 0; k < kParameters.size(); ++k)
      if (c_.parameters[k]) put_real((f_.*kParameters[k].column)[p]);
    return finite_;
  }

  void flush() {
    file_.write(std::string_view(buffer_).substr(0, used_));
    used_ = 0;
  }

 private:
  template <class T>
  void put(T value) {
    std::memcpy(buffer_.data() + used_, &value, sizeof(T));
    used_ += sizeof(T);
  }
  void put_real(double value) {
    const Real real = static_cast<Real>(value);
    finite_ = finite_ && std::isfinite(real);
    put(real);
  }
  template <std::size_t N>
  void put_reals(const std::array<double, N>& values) {
    for (const double value : values) put_real(value);
  }

  AtomicFile& file_;
  const Frame& f_;
  const Columns& c_;
  std::string buffer_;
  std::size_t used_ = 0;
  bool finite_ = true;
};

// The particles in id order; empty when they already are.
std::vector<std::size_t> id_order(const Frame& frame) {
  std::vector<std::size_t> order;
  if (std::is_sorted(frame.id.begin(), frame.id.end())) return order;
  order.resize(frame.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return frame.id[a] < frame.id[b]; });
  return order;
}

}  // namespace

PlyWriter::PlyWriter(std::string path, std::size_t count, const PlyOptions& options)
    : path_(std::move(path)), count_(count), options_(options), file_(path_) {}
PlyWriter::~PlyWriter() = default;

template <class Real>
void PlyWriter::write_rows(const Frame& piece) {
  const Columns columns = choose_columns(path_, piece, options_);
  if (!started_) file_.write(make_header(count_, columns, sizeof(Real) == sizeof(double) ? "double" : "float"));
  started_ = true;
  const std::vector<std::size_t> order = id_order(piece);
  RowWriter<Real> writer(file_, piece, columns);
  for (std::size_t row = 0; row < piece.size(); ++row) {
    const std::size_t p = order.empty() ? row : order[row];
    if (!writer.put_row(p))
      throw RunError(fmt::format("{}: cannot write: a value of particle {} is not finite", path_, columns.id ? piece.id[p] : p));
  }
  writer.flush();
  written_ += piece.size();
}

void PlyWriter::append(const Frame& piece) {
  if (piece.size() == 0 && count_ > 0) return;  // it cannot tell which columns there are
  if (options_.double_precision) {
    write_rows<double>(piece);
  } else {
    write_rows<float>(piece);
  }
}

void PlyWriter::commit() {
  if (!started_) append({});
  if (written_ != count_) throw RunError(fmt::format("{}: cannot write: {} particles of {}", path_, written_, count_));
  file_.commit();
}

void write_ply(const std::string& path, const Frame& frame, const PlyOptions& options) {
  PlyWriter writer(path, frame.size(), options);
  writer.append(frame);
  writer.commit();
}

}  // namespace firn
