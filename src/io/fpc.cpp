// The start of an .fpc file.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/files.h"
#include "core/text.h"
#include "firn/error.h"
#include "io/fpc_codec.h"
#include "io/particle_files.h"

namespace firn {
namespace {

// A chunk's columns stay in the second-level cache; also the most that a reader has to make room for at once.
inline constexpr std::uint32_t kFpcChunkParticles = 65536;

std::uint32_t fpc_checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

constexpr std::string_view kFpcMagic = "firn.fpc";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kFixedBytes = 68;  // up to the first attribute
constexpr std::size_t kNameBytes = 24;   // padded with zeros
constexpr std::size_t kAttributeBytes = kNameBytes + 4 + 4 + 8;
constexpr std::size_t kChecksumBytes = 4;

// Kinds of values have these numbers in the file.
static_assert(static_cast<int>(ValueKind::kReal) == 0 && static_cast<int>(ValueKind::kUint32) == 1 &&
              static_cast<int>(ValueKind::kUint16) == 2);

constexpr std::size_t header_bytes(std::size_t attributes) { return kFixedBytes + attributes * kAttributeBytes + kChecksumBytes; }
// A header is never longer.
std::size_t largest_fpc_header() { return header_bytes(kFields); }

// The number of a kernel in the file.
std::uint32_t degree(Kernel kernel) { return kernel == Kernel::kCubic ? 3 : 2; }

FpcColumn take_column(FpcCursor& from) {
  const std::size_t start = from.offset();
  const std::string_view padded = from.take_bytes(kNameBytes, "an attribute's name");
  const std::string_view name = padded.substr(0, padded.find('\0'));
  const Attribute* const a = find_attribute(name);
  if (a == nullptr) from.fail_at(start, fmt::format("'{}' is no attribute", printable(name)));
  const auto kind = from.take<std::uint32_t>("an attribute's kind"), components = from.take<std::uint32_t>("an attribute's components");
  if (kind != static_cast<std::uint32_t>(a->kind) || components != static_cast<std::uint32_t>(a->components))
    from.fail_at(start, fmt::format("{} is of kind {} with {} components, it must be of kind {} with {}", a->name, kind, components,
                                    static_cast<int>(a->kind), a->components));
  const double error = from.take<double>("an attribute's error");
  const bool may_be_off = a->kind == ValueKind::kReal && std::isfinite(error) && error > 0;
  if (error != 0 && !may_be_off) from.fail_at(start, fmt::format("{} has an error of {}", a->name, error));
  return {a->field, error};
}

void check_columns(const FpcCursor& at, const std::vector<FpcColumn>& columns) {
  const auto times = [&](Field field) {
    return std::count_if(columns.begin(), columns.end(), [&](const FpcColumn& c) { return c.field == field; });
  };
  for (const FpcColumn& c : columns)
    if (times(c.field) > 1) at.fail(fmt::format("the attribute {} is there twice", attribute(c.field).name));
  if (times(Field::kPosition) == 0) at.fail("there is no attribute position");
}

std::uint32_t take_one_of(FpcCursor& from, const char* what, const std::array<std::uint32_t, 2>& allowed) {
  const std::size_t start = from.offset();
  const auto value = from.take<std::uint32_t>(what);
  if (value != allowed[0] && value != allowed[1])
    from.fail_at(start, fmt::format("{} is {}, it must be {} or {}", what, value, allowed[0], allowed[1]));
  return value;
}

double take_within(FpcCursor& from, const char* what, double least) {
  const std::size_t start = from.offset();
  const auto value = from.take<double>(what);
  if (!std::isfinite(value) || value < least)
    from.fail_at(start, fmt::format("{} is {}, it must be finite and at least {:g}", what, value, least));
  return value;
}

// The header as a cursor of its own, behind what says how long it is. Nothing in it is believed before its checksum.
FpcCursor take_whole_header(FpcCursor& from, FpcChecksums checksums) {
  FpcCursor start = from;
  if (!start.left().starts_with(kFpcMagic)) from.fail(fmt::format("not an FPC file: it does not start with '{}'", kFpcMagic));
  start.take_bytes(kFpcMagic.size(), "the magic");
  const auto version = start.take<std::uint32_t>("the version");
  if (version != kVersion) from.fail(fmt::format("an FPC file of version {}; only version {} can be read", version, kVersion));
  const auto size = start.take<std::uint32_t>("the header's size");
  if (size < header_bytes(1) || size > largest_fpc_header())
    from.fail(fmt::format("the header has {} bytes, it must have {} to {}", size, header_bytes(1), largest_fpc_header()));

  FpcCursor header = from.take_part(size, "the header");
  const std::string_view covered = header.left().substr(0, size - kChecksumBytes);
  FpcCursor behind = header;
  behind.take_bytes(covered.size(), "the header");
  if (checksums == FpcChecksums::kVerify && behind.take<std::uint32_t>("the checksum") != fpc_checksum(covered))
    header.fail("the header's checksum is wrong: the file is damaged");
  header.take_bytes(kFpcMagic.size() + sizeof version + sizeof size, "the header");
  return header;
}

FpcHeader take_fpc_header(FpcCursor& from, FpcChecksums checksums) {
  FpcCursor in = take_whole_header(from, checksums);
  FpcHeader header;
  header.particles = in.take<std::uint64_t>("the particle count");
  header.chunk_particles = in.take<std::uint32_t>("the chunk size");
  if (header.chunk_particles < 1 || header.chunk_particles > kFpcChunkParticles)
    in.fail(fmt::format("chunks of {} particles, they must have 1 to {}", header.chunk_particles, kFpcChunkParticles));
  header.double_precision = take_one_of(in, "the bytes of a real", {sizeof(float), sizeof(double)}) == sizeof(double);
  header.notes.time = take_within(in, "the time", std::numeric_limits<double>::lowest());
  header.notes.fps = take_within(in, "the frame rate", std::numeric_limits<double>::min());
  header.notes.spacing = take_within(in, "the spacing", 0);
  header.notes.dimension = static_cast<int>(take_one_of(in, "the dimension", {2, 3}));
  header.notes.kernel = take_one_of(in, "the kernel", {2, 3}) == degree(Kernel::kCubic) ? Kernel::kCubic : Kernel::kQuadratic;
  const auto attributes = in.take<std::uint32_t>("the attribute count");
  const std::size_t for_attributes = in.left().size() - kChecksumBytes;
  if (attributes > kFields || attributes * kAttributeBytes != for_attributes)
    in.fail(fmt::format("{} attributes in {} bytes, they must have {} bytes each", attributes, for_attributes, kAttributeBytes));
  for (std::uint32_t i = 0; i < attributes; ++i) header.columns.push_back(take_column(in));
  check_columns(in, header.columns);
  return header;
}

std::string make_fpc_header(const FpcHeader& header) {
  std::string bytes(kFpcMagic);
  put(bytes, kVersion);
  put(bytes, static_cast<std::uint32_t>(header_bytes(header.columns.size())));
  put(bytes, header.particles);
  put(bytes, header.chunk_particles);
  put(bytes, static_cast<std::uint32_t>(header.double_precision ? sizeof(double) : sizeof(float)));
  put(bytes, header.notes.time);
  put(bytes, header.notes.fps);
  put(bytes, header.notes.spacing);
  put(bytes, static_cast<std::uint32_t>(header.notes.dimension));
  put(bytes, degree(header.notes.kernel));
  put(bytes, static_cast<std::uint32_t>(header.columns.size()));
  for (const FpcColumn& column : header.columns) {
    const Attribute& a = attribute(column.field);
    bytes.append(a.name).append(kNameBytes - a.name.size(), '\0');
    put(bytes, static_cast<std::uint32_t>(a.kind));
    put(bytes, static_cast<std::uint32_t>(a.components));
    put(bytes, column.error);
  }
  put(bytes, fpc_checksum(bytes));
  return bytes;
}

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

namespace {

constexpr double kVolumeError = 1e-4;  // of J_P and J_E where positions may be off: a hundredth of what snow yields at

// How far a field may be off when positions may by `error` metres.
double error_of(Field field, double error, double fps) {
  if (error == 0) return 0;
  switch (field) {
    case Field::kPosition: return error;
    case Field::kVelocity: return error * fps;  // the way that is lost from one frame to the next
    case Field::kJp:
    case Field::kJe: return kVolumeError;
    default: return 0;
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
