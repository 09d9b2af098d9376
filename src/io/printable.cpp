#include "io/printable.h"

namespace firn {

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 40;  // enough to recognise the place, short enough for one line
  std::string result;
  for (const char c : text.substr(0, kLongest)) result += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > kLongest) result += "...";
  return result;
}

}  // namespace firn
