#include "io/checkpoint_file.h"

#include <blosc.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "core/bytes.h"
#include "firn/error.h"

namespace firn {

template <class A, class S>
requires std::is_same_v<std::remove_const_t<S>, CheckpointHead>
void describe(A& a, S& head) {
  archive(a, head.program, head.variant, head.scene, head.contents, head.time, head.steps, head.frames, head.particles);
}

namespace {

constexpr std::string_view kCheckpointMagic = "firnchk2";  // the digit is the version of the format and of what states are made of
constexpr std::uint32_t kHead = 0x44414548, kBytes = 0x53545942, kEnd = 0x20444e45;
constexpr std::uint32_t kLargest = 64u << 20;  // of a record

// Before every record.
struct RecordHead {
  std::uint32_t kind, raw, size, checksum;  // raw: before it was compressed
};

std::uint32_t checksum_of(RecordHead head, std::string_view content) {
  head.checksum = 0;
  const uLong of_head = ::crc32_z(0, reinterpret_cast<const Bytef*>(&head), sizeof head);
  return static_cast<std::uint32_t>(::crc32_z(of_head, reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

std::string record(std::uint32_t kind, std::size_t raw, std::string_view content) {
  RecordHead head{kind, static_cast<std::uint32_t>(raw), static_cast<std::uint32_t>(content.size()), 0};
  head.checksum = checksum_of(head, content);
  std::string bytes(sizeof head + content.size(), '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, content.data(), content.size());
  return bytes;
}

// A record of few values.
template <class Value>
std::string small_record(std::uint32_t kind, const Value& value) {
  std::string content;
  ByteWriter writer([&](std::string_view bytes) { content += bytes; });
  archive(writer, value);
  writer.flush();
  return record(kind, content.size(), content);
}

template <class Value>
void read_small(const std::string& content, Value& value) {
  std::size_t at = 0;
  ByteReader reader([&](char* to, std::size_t size) {
    const std::size_t got = content.copy(to, size, at);
    at += got;
    return got;
  });
  archive(reader, value);
}

}  // namespace

std::string checkpoint_start(const CheckpointHead& head) { return std::string(kCheckpointMagic) + small_record(kHead, head); }

std::string checkpoint_record(std::string_view bytes) {
  constexpr int kLevel = 5;
  std::string packed(bytes.size() + BLOSC_MAX_OVERHEAD, '\0');
  const int size = ::blosc_compress_ctx(kLevel, BLOSC_SHUFFLE, sizeof(float), bytes.size(), bytes.data(), packed.data(), packed.size(),
                                        BLOSC_LZ4_COMPNAME, 0, 1);
  if (size <= 0) throw RunError(fmt::format("blosc cannot compress: {}", size));
  return record(kBytes, bytes.size(), std::string_view(packed).substr(0, static_cast<std::size_t>(size)));
}

std::string checkpoint_end(const std::string& hash) { return small_record(kEnd, hash); }

CheckpointReader::CheckpointReader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || !file_) throw UserError(path + ": cannot be read");
  std::string magic(kCheckpointMagic.size(), '\0');
  file_.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  if (!file_) fail("it ends within its first bytes");
  if (magic.substr(0, 7) != kCheckpointMagic.substr(0, 7)) throw UserError(path + ": is not a checkpoint");
  if (magic != kCheckpointMagic)
    throw UserError(fmt::format("{}: a checkpoint of version {}, this firn reads version {}", path, magic.back(), kCheckpointMagic.back()));
  if (next_record() != kHead) fail("it does not begin with what it is of");
  read_small(record_, head_);
  record_.clear();
}

void CheckpointReader::fail(const std::string& what) const {
  throw UserError(fmt::format("{}: the checkpoint is damaged: {}", path_, what));
}

std::uint32_t CheckpointReader::next_record() {
  RecordHead head{};
  const auto place = static_cast<long long>(file_.tellg());
  file_.read(reinterpret_cast<char*>(&head), sizeof head);
  if (!file_) fail("it is cut off");
  if (head.raw > kLargest || head.size > kLargest + BLOSC_MAX_OVERHEAD)
    fail(fmt::format("a record of that size at byte {} cannot be", place));
  std::string content(head.size, '\0');
  file_.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file_) fail("it is cut off");
  if (checksum_of(head, content) != head.checksum) fail(fmt::format("the record at byte {} has another checksum", place));
  at_ = 0;
  if (head.kind != kBytes) {
    record_ = std::move(content);
    return head.kind;
  }
  record_.assign(head.raw, '\0');
  std::size_t raw = 0;
  if (::blosc_cbuffer_validate(content.data(), content.size(), &raw) != 0 || raw != head.raw ||
      ::blosc_decompress_ctx(content.data(), record_.data(), record_.size(), 1) != static_cast<int>(record_.size()))
    fail(fmt::format("the record at byte {} cannot be unpacked", place));
  return head.kind;
}

std::size_t CheckpointReader::read(char* to, std::size_t size) {
  while (!ended_ && at_ == record_.size()) {
    const std::uint32_t kind = next_record();
    if (kind == kHead) fail("it begins twice");
    if (kind != kEnd) continue;
    read_small(record_, hash_);
    record_.clear();
    ended_ = true;
    if (file_.peek() != std::ifstream::traits_type::eof()) fail("there is something after its end");
  }
  const std::size_t got = record_.copy(to, size, at_);
  at_ += got;
  return got;
}

void CheckpointReader::read_to_end() {
  char bytes[65536];
  while (read(bytes, sizeof bytes) > 0) {
  }
}

}  // namespace firn
