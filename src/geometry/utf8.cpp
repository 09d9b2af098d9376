#include "geometry/utf8.h"

#include <fmt/format.h>

#include "firn/error.h"

namespace firn {
namespace {

// How many bytes a character has that begins with this one; 0 when none does.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

bool is_character(char32_t c, std::size_t length) {
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};  // a character in more bytes than it needs is none
  const bool is_surrogate = c >= 0xd800 && c <= 0xdfff;
  return c >= kSmallest[length] && c <= 0x10ffff && !is_surrogate;
}

}  // namespace

std::u32string from_utf8(const std::string& text) {
  std::u32string out;
  for (std::size_t at = 0; at < text.size();) {
    const unsigned char first = static_cast<unsigned char>(text[at]);
    const std::size_t length = length_of(first);
    bool good = length > 0 && at + length <= text.size();
    char32_t c = length > 1 ? first & (0x7f >> length) : first;
    for (std::size_t i = 1; good && i < length; ++i) {
      const unsigned char next = static_cast<unsigned char>(text[at + i]);
      good = (next & 0xc0) == 0x80;
      c = c << 6 | (next & 0x3f);
    }
    if (!good || !is_character(c, length)) throw UserError(fmt::format("the text is not UTF-8 at byte {}", at + 1));
    out += c;
    at += length;
  }
  return out;
}

}  // namespace firn
