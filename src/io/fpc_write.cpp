#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "io/file.h"
#include "io/fpc_header.h"
#include "io/fpc_numbers.h"

namespace firn {
namespace {

constexpr double kVolumeError = 1e-4;  // of J_P and J_E where positions may be off: a hundredth of what snow yields at

// How far a field may be off when positions may by `error` metres.
double error_of(Field field, double error, double fps) {
  if (error == 0) return 0;
  switch (field) {
    case Field::kPosition:
      return error;
    case Field::kVelocity:
      return error * fps;  // the way that is lost from one frame to the next
    case Field::kJp:
    case Field::kJe:
      return kVolumeError;
    default:
      return 0;
  }
}

FpcHeader header_of(const FrameView& frame, const FrameNotes& notes, double error) {
  FpcHeader header;
  header.particles = frame.size();
  header.chunk_particles = kFpcChunkParticles;
  header.double_precision = frame.double_precision;
  header.notes = notes;
  for (const Field field : fields_of(frame)) header.columns.push_back({field, error_of(field, error, notes.fps)});
  return header;
}

// Chunks of a frame whose reals are stored as `Real`.
template <class Real>
class ChunkEncoder {
 public:
  ChunkEncoder(const FrameView& frame, const std::vector<FpcColumn>& columns) : frame_(frame), columns_(columns) {}

  // The chunk of these particles as it is in the file; valid until the next one.
  const std::string& encode(std::size_t begin, std::size_t count) {
    payload_.clear();
    for (const FpcColumn& column : columns_) encode_column(column, begin, count);
    chunk_.clear();
    put(chunk_, static_cast<std::uint32_t>(payload_.size()));
    put(chunk_, fpc_checksum(payload_));
    return chunk_ += payload_;
  }

 private:
  void encode_column(const FpcColumn& column, std::size_t begin, std::size_t count) {
    const Attribute& a = attribute(column.field);
    if (a.kind == ValueKind::kUint32) encode_whole(frame_.id.subspan(begin, count));
    if (a.kind == ValueKind::kUint16) encode_whole(frame_.material.subspan(begin, count));
    if (a.kind != ValueKind::kReal) return;
    const std::size_t width = static_cast<std::size_t>(a.components);
    const Numbers rows = reals(frame_, column.field).subspan(begin * width, count * width);
    reals_.resize(count);
    for (std::size_t c = 0; c < width; ++c) {
      rows.visit([&](auto numbers) {
        for (std::size_t i = 0; i < count; ++i) reals_[i] = static_cast<Real>(numbers[i * width + c]);
      });
      real_coder_.encode(reals_, {column.error, above_zero(column.field)}, payload_);
    }
  }

  template <class Whole>
  void encode_whole(std::span<const Whole> numbers) {
    wholes_.assign(numbers.begin(), numbers.end());
    whole_coder_.encode(wholes_, {0, false}, payload_);
  }

  const FrameView& frame_;
  const std::vector<FpcColumn>& columns_;
  std::string payload_, chunk_;
  std::vector<Real> reals_;
  std::vector<std::uint32_t> wholes_;
  FpcCoder<Real> real_coder_;
  FpcCoder<std::uint32_t> whole_coder_;
};

template <class Real>
void write_chunks(AtomicFile& file, const FrameView& frame, const FpcHeader& header) {
  ChunkEncoder<Real> encoder(frame, header.columns);
  for (std::size_t begin = 0; begin < frame.size(); begin += header.chunk_particles)
    file.write(encoder.encode(begin, std::min<std::size_t>(header.chunk_particles, frame.size() - begin)));
}

}  // namespace

void write_fpc(const std::string& path, const FrameView& frame, const FrameNotes& notes, const FormatOptions& options) {
  if (!(options.fpc_error >= 0 && std::isfinite(options.fpc_error * notes.fps)))
    throw RunError(fmt::format("{}: cannot write: positions may be off by {} m, it must be 0 or more", path, options.fpc_error));
  check_writable(path, frame);
  const FpcHeader header = header_of(frame, notes, options.fpc_error);
  AtomicFile file(path);
  file.write(make_fpc_header(header));
  if (frame.double_precision) {
    write_chunks<double>(file, frame, header);
  } else {
    write_chunks<float>(file, frame, header);
  }
  file.commit();
}

}  // namespace firn
