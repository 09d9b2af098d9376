// The whole numbers of one component of one chunk, packed: differences of neighbours, byte by byte of their value, compressed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/fpc_bytes.h"

namespace firn {

// `Word` is std::uint32_t or std::uint64_t. Packs what it is given and reuses its memory from one call to the next.
template <class Word>
class FpcPacker {
 public:
  // Appends the packed words to `bytes`; they are used up. Throws RunError when the compressor fails.
  void pack(std::span<Word> words, std::string& bytes);
  // Fills `words`.
  void unpack(FpcCursor& from, std::span<Word> words);

 private:
  void pack_plane(std::span<const Word> words, unsigned plane, std::string& bytes);
  void unpack_plane(FpcCursor& from, unsigned plane, std::span<Word> words);

  std::vector<std::uint8_t> plane_;
};

}  // namespace firn
