// What toml++ must never see. Version 3.3 runs into undefined behaviour on some non-ASCII letters outside of strings, and frees
// deeply nested tables by recursion; both are stopped here, with a message that says where and what to do.
#pragma once

#include <string_view>

#include "firn/error.h"

namespace firn::schema {

// Throws UserError at the first byte that cannot stand in a scene. `start` is the place of the first one.
void check_text(std::string_view text, const Location& start);

}  // namespace firn::schema
