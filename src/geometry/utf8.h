#pragma once

#include <string>

namespace firn {

// The characters of a UTF-8 text. Throws UserError for bytes that are not UTF-8.
std::u32string from_utf8(const std::string& text);

}  // namespace firn
