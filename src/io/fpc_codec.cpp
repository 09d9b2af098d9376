#include "io/fpc_codec.h"

#include <blosc.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace firn {
namespace {

// The compressor's level: higher ones take three times as long and gain nothing, what is left is noise.
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

namespace {

template <class Word>
constexpr Word kSignBit = Word(1) << (sizeof(Word) * 8 - 1);

// The bits of a real as a whole number that grows with it, so that reals that are near have whole numbers that are. Every bit pattern
// has one of its own.
template <class Word, class Number>
Word to_ordered(Number number) {
  if constexpr (std::is_floating_point_v<Number>) {
    const Word bits = std::bit_cast<Word>(number);
    return (bits & kSignBit<Word>) != 0 ? static_cast<Word>(~bits) : (bits | kSignBit<Word>);
  } else {
    return number;
  }
}

template <class Number, class Word>
Number from_ordered(Word word) {
  if constexpr (std::is_floating_point_v<Number>) {
    return std::bit_cast<Number>((word & kSignBit<Word>) != 0 ? word ^ kSignBit<Word> : static_cast<Word>(~word));
  } else {
    return word;
  }
}

// How far multiples are apart of which the nearest one, rounded to Real, is within the error. 0: exact numbers cost about the same, because
// they do not differ or because Real is that coarse for their size. Else all multiples are below 2^23 (float) and 2^52 (double).
template <class Real>
double step_for(std::span<const Real> numbers, double error) {
  Real largest = 0;
  bool differ = false;
  for (const Real x : numbers) {
    largest = std::max(largest, std::abs(x));
    differ |= x != numbers.front();
  }
  const double rounding = static_cast<double>(largest) * std::numeric_limits<Real>::epsilon();
  return differ && rounding <= error / 2 ? 2 * (error - rounding) : 0;
}

}  // namespace

template <class Number>
void FpcCoder<Number>::encode(std::span<const Number> numbers, const FpcTolerance& tolerance, std::string& bytes) {
  words_.resize(numbers.size());
  double step = 0;
  if constexpr (std::is_floating_point_v<Number>) {
    step = step_for(numbers, tolerance.error);
    if (step > 0 && !quantise(numbers, tolerance, step)) step = 0;
  }
  if (step == 0) std::transform(numbers.begin(), numbers.end(), words_.begin(), to_ordered<Word, Number>);
  put(bytes, step > 0 ? FpcCoding::kQuantised : FpcCoding::kExact);
  put(bytes, step);
  packer_.pack(words_, bytes);
}

// False when a number would be off by more than it may: the error holds because every number is looked at.
template <class Number>
bool FpcCoder<Number>::quantise(std::span<const Number> numbers, const FpcTolerance& tolerance, double step) {
  using Signed = std::make_signed_t<Word>;
  std::transform(numbers.begin(), numbers.end(), words_.begin(),
                 [step](Number x) { return static_cast<Word>(static_cast<Signed>(std::nearbyint(static_cast<double>(x) / step))); });
  check_.resize(numbers.size());
  undo_quantise(step, check_);
  bool holds = true;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double off = std::abs(static_cast<double>(check_[i]) - static_cast<double>(numbers[i]));
    holds &= off <= tolerance.error && !(tolerance.above_zero && check_[i] <= 0);
  }
  return holds;
}

template <class Number>
void FpcCoder<Number>::undo_quantise(double step, std::span<Number> numbers) const {
  using Signed = std::make_signed_t<Word>;
  std::transform(words_.begin(), words_.end(), numbers.begin(),
                 [step](Word word) { return static_cast<Number>(static_cast<double>(static_cast<Signed>(word)) * step); });
}

template <class Number>
void FpcCoder<Number>::decode(FpcCursor& from, std::span<Number> numbers) {
  const std::size_t start = from.offset();
  const auto coding = from.take<FpcCoding>("the coding");
  const auto step = from.take<double>("the step");
  words_.resize(numbers.size());
  packer_.unpack(from, words_);
  if (coding == FpcCoding::kExact) {
    std::transform(words_.begin(), words_.end(), numbers.begin(), from_ordered<Number, Word>);
    return;
  }
  if constexpr (std::is_floating_point_v<Number>) {
    if (coding == FpcCoding::kQuantised && step > 0 && std::isfinite(step)) return undo_quantise(step, numbers);
  }
  from.fail_at(start, fmt::format("a coding of {} with a step of {}, allowed: 1 and, for reals with a step greater than 0, 2",
                                  static_cast<std::uint32_t>(coding), step));
}

template class FpcCoder<float>;
template class FpcCoder<double>;
template class FpcCoder<std::uint32_t>;

}  // namespace firn
