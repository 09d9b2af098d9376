// The numbers of one component of one chunk as whole numbers, exactly or to an error.
#pragma once

#include <type_traits>

#include "io/fpc_words.h"

namespace firn {

enum class FpcCoding : std::uint32_t { kExact = 1, kQuantised = 2 };

// Coding, step, number of byte planes, first number: all there is of a component that is the same for all particles of its chunk.
inline constexpr std::size_t kFpcLeastComponentBytes = 4 + 8 + 4 + 8;

// How far numbers may be off.
struct FpcTolerance {
  double error;     // 0: not at all
  bool above_zero;  // what was greater than 0 has to stay so
};

// `Number` is float, double or std::uint32_t. Reuses its memory from one call to the next.
template <class Number>
class FpcCoder {
 public:
  // Appends the numbers to `bytes`.
  void encode(std::span<const Number> numbers, const FpcTolerance& tolerance, std::string& bytes);
  // Fills `numbers`.
  void decode(FpcCursor& from, std::span<Number> numbers);

 private:
  using Word = std::conditional_t<sizeof(Number) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;

  bool quantise(std::span<const Number> numbers, const FpcTolerance& tolerance, double step);
  void undo_quantise(double step, std::span<Number> numbers) const;

  std::vector<Word> words_;
  std::vector<Number> check_;
  FpcPacker<Word> packer_;
};

}  // namespace firn
