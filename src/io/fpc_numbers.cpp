#include "io/fpc_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace firn {
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
