// A state as bytes: saved, loaded, hashed.
#pragma once

#include <string>

#include "core/archive.h"
#include "state/state.h"

namespace firn {

void save(const State& state, ByteWriter& to);
// Throws UserError when the bytes are not those of a state.
State load_state(ByteReader& from);

// 32 hexadecimal digits of the bytes that save() gives: equal for equal states, whatever their memory looks like.
std::string hash_of(const State& state);

}  // namespace firn
