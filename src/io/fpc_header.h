// The start of an .fpc file.
#pragma once

#include "io/fpc.h"
#include "io/fpc_bytes.h"

namespace firn {

// A chunk's columns stay in the second-level cache; also the most that a reader has to make room for at once.
inline constexpr std::uint32_t kFpcChunkParticles = 65536;

std::string make_fpc_header(const FpcHeader& header);
FpcHeader take_fpc_header(FpcCursor& from, FpcChecksums checksums);

// A header is never longer.
std::size_t largest_fpc_header();

std::uint32_t fpc_checksum(std::string_view bytes);

}  // namespace firn
