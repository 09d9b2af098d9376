// What a user wrote, fit to be quoted in a one-line message.
#pragma once

#include <string>
#include <string_view>

namespace firn {

std::string printable(std::string_view text);

}  // namespace firn
