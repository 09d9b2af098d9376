#include "io/fpc_words.h"

#include <blosc.h>

#include <algorithm>

namespace firn {
namespace {

// Of the compressor: higher levels take three times as long and gain nothing, what is left is noise.
constexpr int kLevel = 1;
constexpr unsigned kByteBits = 8;

// Small numbers of either sign become small unsigned ones: 0, -1, 1, -2 → 0, 1, 2, 3.
template <class Word>
constexpr Word zigzag(Word difference) {
  const Word all_if_negative = Word(0) - (difference >> (sizeof(Word) * kByteBits - 1));
  return static_cast<Word>(difference << 1) ^ all_if_negative;
}

template <class Word>
constexpr Word undo_zigzag(Word code) {
  return (code >> 1) ^ (Word(0) - (code & 1));
}

// Leaves the first word out: it is stored by itself. The result says which bits are in use.
template <class Word>
Word to_differences(std::span<Word> words) {
  Word used = 0;
  for (std::size_t i = words.size() - 1; i > 0; --i) {
    words[i] = zigzag<Word>(words[i] - words[i - 1]);
    used |= words[i];
  }
  words[0] = 0;
  return used;
}

template <class Word>
void from_differences(Word first, std::span<Word> words) {
  Word sum = first;
  for (Word& word : words) word = sum += undo_zigzag(word);
}

// Nothing is decompressed before it is known to give exactly `count` bytes and to be of the one kind that is allowed.
void check_compressed(const FpcCursor& at, std::string_view compressed, std::size_t count) {
  std::size_t size = 0;
  if (::blosc_cbuffer_validate(compressed.data(), compressed.size(), &size) != 0) at.fail("not a blosc buffer of that size");
  if (size != count) at.fail(fmt::format("a blosc buffer of {} bytes, it must have {}", size, count));
  std::size_t type_size = 0;
  int flags = 0;
  ::blosc_cbuffer_metainfo(compressed.data(), &type_size, &flags);
  const bool shuffled = (flags & (BLOSC_DOSHUFFLE | BLOSC_DOBITSHUFFLE)) != 0;
  const bool copied = (flags & BLOSC_MEMCPYED) != 0;
  const char* const compressor = ::blosc_cbuffer_complib(compressed.data());  // nullptr: an unknown one
  const bool zstd = compressor != nullptr && std::string_view(compressor) == BLOSC_ZSTD_LIBNAME;
  if (type_size != 1 || shuffled || !(copied || zstd))
    at.fail("a blosc buffer with a filter or of a compressor that .fpc files do not have, allowed: single bytes, zstd");
}

}  // namespace

template <class Word>
void FpcPacker<Word>::pack(std::span<Word> words, std::string& bytes) {
  const std::uint64_t first = words[0];
  const Word used = to_differences(words);
  const std::uint32_t planes = (static_cast<std::uint32_t>(std::bit_width(used)) + kByteBits - 1) / kByteBits;
  put(bytes, planes);
  put(bytes, first);
  for (unsigned plane = 0; plane < planes; ++plane) pack_plane(words, plane, bytes);
}

template <class Word>
void FpcPacker<Word>::pack_plane(std::span<const Word> words, unsigned plane, std::string& bytes) {
  plane_.resize(words.size());
  std::transform(words.begin(), words.end(), plane_.begin(),
                 [shift = plane * kByteBits](Word word) { return static_cast<std::uint8_t>(word >> shift); });
  const std::size_t start = bytes.size(), room = plane_.size() + BLOSC_MAX_OVERHEAD;
  bytes.resize(start + sizeof(std::uint32_t) + room);
  const int size = ::blosc_compress_ctx(kLevel, BLOSC_NOSHUFFLE, 1, plane_.size(), plane_.data(),
                                        bytes.data() + start + sizeof(std::uint32_t), room, BLOSC_ZSTD_COMPNAME, plane_.size(), 1);
  if (size <= 0) throw RunError(fmt::format("blosc cannot compress: {}", size));
  const auto stated = static_cast<std::uint32_t>(size);
  std::memcpy(bytes.data() + start, &stated, sizeof stated);
  bytes.resize(start + sizeof stated + stated);
}

template <class Word>
void FpcPacker<Word>::unpack(FpcCursor& from, std::span<Word> words) {
  const std::size_t start = from.offset();
  const auto planes = from.take<std::uint32_t>("the number of byte planes");
  if (planes > sizeof(Word)) from.fail_at(start, fmt::format("{} byte planes, there can be {} at most", planes, sizeof(Word)));
  const auto first = from.take<std::uint64_t>("the first number");
  if (first > static_cast<Word>(-1)) from.fail_at(start, fmt::format("the first number is {}, beyond {} bytes", first, sizeof(Word)));
  std::fill(words.begin(), words.end(), Word(0));
  for (unsigned plane = 0; plane < planes; ++plane) unpack_plane(from, plane, words);
  from_differences(static_cast<Word>(first), words);
}

template <class Word>
void FpcPacker<Word>::unpack_plane(FpcCursor& from, unsigned plane, std::span<Word> words) {
  const auto size = from.take<std::uint32_t>("the size of a byte plane");
  const FpcCursor start = from;
  const std::string_view compressed = from.take_bytes(size, "a byte plane");
  check_compressed(start, compressed, words.size());
  plane_.resize(words.size());
  if (::blosc_decompress_ctx(compressed.data(), plane_.data(), plane_.size(), 1) != static_cast<int>(plane_.size()))
    start.fail("a blosc buffer that cannot be decompressed");
  std::transform(words.begin(), words.end(), plane_.begin(), words.begin(),
                 [shift = plane * kByteBits](Word word, std::uint8_t byte) { return word | static_cast<Word>(byte) << shift; });
}

template class FpcPacker<std::uint32_t>;
template class FpcPacker<std::uint64_t>;

}  // namespace firn
