#include <algorithm>
#include <limits>

#include "io/file.h"
#include "io/fpc_header.h"
#include "io/fpc_numbers.h"

namespace firn {
namespace {

// What a chunk takes at least: that of numbers which are all the same.
std::size_t least_chunk_bytes(const FpcHeader& header) {
  std::size_t components = 0;
  for (const FpcColumn& column : header.columns) components += static_cast<std::size_t>(attribute(column.field).components);
  return components * kFpcLeastComponentBytes;
}

// Every chunk is found, and its checksum looked at, before anything is decoded: a file can promise no more than it has chunks for.
std::vector<FpcCursor> take_chunks(FpcCursor& from, const FpcHeader& header, FpcChecksums checksums) {
  const std::size_t least = least_chunk_bytes(header);
  std::vector<FpcCursor> chunks;
  std::uint64_t left = header.particles;
  while (left > 0) {
    if (from.left().empty()) from.fail(fmt::format("the file ends, but {} of its {} particles are missing", left, header.particles));
    const std::size_t start = from.offset();
    const auto size = from.take<std::uint32_t>("the size of a chunk"), stated = from.take<std::uint32_t>("the checksum of a chunk");
    chunks.push_back(from.take_part(size, "a chunk"));
    if (checksums == FpcChecksums::kVerify && fpc_checksum(chunks.back().left()) != stated)
      from.fail_at(start, "the chunk's checksum is wrong: the file is damaged");
    if (size < least) from.fail_at(start, fmt::format("a chunk of {} bytes, its attributes take {} at least", size, least));
    left -= std::min<std::uint64_t>(left, header.chunk_particles);
  }
  if (!from.left().empty()) from.fail(fmt::format("{} bytes behind the last chunk", from.left().size()));
  return chunks;
}

// Chunks of a file whose reals are stored as `Real`, appended to a frame.
template <class Real>
class ChunkDecoder {
 public:
  ChunkDecoder(Frame& frame, const std::vector<FpcColumn>& columns) : frame_(frame), columns_(columns) {}

  void append(FpcCursor chunk, std::size_t count) {
    for (const FpcColumn& column : columns_) append_column(chunk, column.field, count);
    done_ += count;
    if (!chunk.left().empty()) chunk.fail(fmt::format("{} bytes behind the chunk's last attribute", chunk.left().size()));
  }

 private:
  void append_column(FpcCursor& chunk, Field field, std::size_t count) {
    const Attribute& a = attribute(field);
    resize(frame_, field, done_ + count);
    if (a.kind == ValueKind::kUint32) decode_whole(chunk, std::span(frame_.id).subspan(done_), a);
    if (a.kind == ValueKind::kUint16) decode_whole(chunk, std::span(frame_.material).subspan(done_), a);
    if (a.kind != ValueKind::kReal) return;
    const std::size_t width = static_cast<std::size_t>(a.components);
    const std::span<double> rows = reals(frame_, field).subspan(done_ * width);
    reals_.resize(count);
    for (std::size_t c = 0; c < width; ++c) {
      real_coder_.decode(chunk, reals_);
      for (std::size_t i = 0; i < count; ++i) rows[i * width + c] = static_cast<double>(reals_[i]);
    }
  }

  template <class Whole>
  void decode_whole(FpcCursor& chunk, std::span<Whole> numbers, const Attribute& a) {
    const std::size_t start = chunk.offset();
    wholes_.resize(numbers.size());
    whole_coder_.decode(chunk, wholes_);
    const std::uint32_t largest = *std::max_element(wholes_.begin(), wholes_.end());
    if (largest > std::numeric_limits<Whole>::max()) chunk.fail_at(start, complaint(a.field, 0, largest));
    std::transform(wholes_.begin(), wholes_.end(), numbers.begin(), [](std::uint32_t number) { return static_cast<Whole>(number); });
  }

  Frame& frame_;
  const std::vector<FpcColumn>& columns_;
  std::size_t done_ = 0;  // particles
  std::vector<Real> reals_;
  std::vector<std::uint32_t> wholes_;
  FpcCoder<Real> real_coder_;
  FpcCoder<std::uint32_t> whole_coder_;
};

template <class Real>
void append_chunks(Frame& frame, const FpcHeader& header, const std::vector<FpcCursor>& chunks) {
  for (const FpcColumn& column : header.columns) reserve(frame, column.field, header.particles);
  ChunkDecoder<Real> decoder(frame, header.columns);
  for (const FpcCursor& chunk : chunks)
    decoder.append(chunk, std::min<std::uint64_t>(header.chunk_particles, header.particles - frame.size()));
}

}  // namespace

Frame parse_fpc(const std::string& file, std::string_view bytes, FpcChecksums checksums) {
  FpcCursor cursor(file, bytes);
  const FpcHeader header = take_fpc_header(cursor, checksums);
  const std::vector<FpcCursor> chunks = take_chunks(cursor, header, checksums);
  Frame frame;
  frame.double_precision = header.double_precision;
  if (header.double_precision) {
    append_chunks<double>(frame, header, chunks);
  } else {
    append_chunks<float>(frame, header, chunks);
  }
  check_readable(file, frame);
  return frame;
}

Frame read_fpc(const std::string& path) { return parse_fpc(path, read_file(path)); }

FpcHeader read_fpc_header(const std::string& path) {
  const std::string start = read_file_start(path, largest_fpc_header());
  FpcCursor cursor(path, start);
  return take_fpc_header(cursor, FpcChecksums::kVerify);
}

}  // namespace firn
