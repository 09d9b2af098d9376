#include "core/bytes.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace firn {

struct ByteHash::Sum {
  XXH3_state_t* state = XXH3_createState();
  ~Sum() { XXH3_freeState(state); }
};

ByteHash::ByteHash() : sum_(std::make_unique<Sum>()) { XXH3_128bits_reset(sum_->state); }
ByteHash::~ByteHash() = default;

void ByteHash::add(std::string_view bytes) { XXH3_128bits_update(sum_->state, bytes.data(), bytes.size()); }

std::string ByteHash::digits() const {
  const XXH128_hash_t digest = XXH3_128bits_digest(sum_->state);
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

}  // namespace firn
