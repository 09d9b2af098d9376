#include "io/fpc_header.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "io/printable.h"

namespace firn {
namespace {

constexpr std::string_view kMagic = "firn.fpc";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kFixedBytes = 68;  // up to the first attribute
constexpr std::size_t kNameBytes = 24;   // padded with zeros
constexpr std::size_t kAttributeBytes = kNameBytes + 4 + 4 + 8;
constexpr std::size_t kChecksumBytes = 4;

// As they are numbered in the file.
static_assert(static_cast<int>(ValueKind::kReal) == 0 && static_cast<int>(ValueKind::kUint32) == 1 &&
              static_cast<int>(ValueKind::kUint16) == 2);

constexpr std::size_t header_bytes(std::size_t attributes) { return kFixedBytes + attributes * kAttributeBytes + kChecksumBytes; }

// By their degree: what a reader of the file would write them as.
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
  if (!start.left().starts_with(kMagic)) from.fail(fmt::format("not an FPC file: it does not start with '{}'", kMagic));
  start.take_bytes(kMagic.size(), "the magic");
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
  header.take_bytes(kMagic.size() + sizeof version + sizeof size, "the header");
  return header;
}

}  // namespace

std::size_t largest_fpc_header() { return header_bytes(kFields); }

std::uint32_t fpc_checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
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
  std::string bytes(kMagic);
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

}  // namespace firn
