#include "core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

#include "firn/error.h"
#include "firn/spelling.h"

namespace firn {

std::string to_string(const Location& where) {
  if (where.line == 0) return where.file;
  return fmt::format("{}:{}:{}", where.file, where.line, where.column);
}

UserError::UserError(const Location& where, const std::string& message)
    : std::runtime_error(where.file.empty() ? message : fmt::format("{}: {}", to_string(where), message)) {}

namespace {

constexpr std::size_t kLongestQuote = 60;  // characters of the user's text that a message repeats

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// Accepts what the Unicode standard calls well-formed (its table 3-7): no overlong forms, no surrogates.
bool is_well_formed(std::string_view character) {
  const unsigned char first = byte_at(character, 0);
  const unsigned char second = byte_at(character, 1);
  if (first == 0xe0 && second < 0xa0) return false;
  if (first == 0xed && second > 0x9f) return false;
  if (first == 0xf0 && second < 0x90) return false;
  if (first == 0xf4 && second > 0x8f) return false;
  return std::all_of(character.begin() + 1, character.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; });
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  const unsigned char first = byte_at(text, at);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  if (first >= 0xc2 && first <= 0xdf) length = 2;
  if (first >= 0xe0 && first <= 0xef) length = 3;
  if (first >= 0xf0 && first <= 0xf4) length = 4;
  if (length == 0 || at + length > text.size()) return 0;
  return is_well_formed(text.substr(at, length)) ? length : 0;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

std::string one_line(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0 || is_control(byte_at(text, at))) {
      out += fmt::format("\\x{:02x}", byte_at(text, at));
    } else {
      out += text.substr(at, length);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string shortened(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t shown = 0; shown < kLongestQuote && end < text.size(); ++shown) end += std::max<std::size_t>(utf8_length(text, end), 1);
  return one_line(text.substr(0, end)) + (end < text.size() ? "..." : "");
}

std::string_view nearest(std::string_view word, Words candidates) {
  std::string_view best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : candidates) {
    // Two slips in a short word, a third of a long one: beyond that it is another word, not a typo.
    const std::size_t limit = std::min(candidate.size() - 1, std::max<std::size_t>(2, candidate.size() / 3));
    if (word.size() > candidate.size() + limit) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance > limit || (!best.empty() && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string suggestion(std::string_view word, Words candidates, std::string_view quote) {
  const std::string allowed = "allowed: " + listed(candidates, quote);
  const std::string_view meant = nearest(word, candidates);
  return meant.empty() ? ", " + allowed : fmt::format(", did you mean {0}{1}{0}? {2}", quote, meant, allowed);
}

std::string listed(Words words, std::string_view quote) {
  std::string out;
  for (const std::string_view word : words) out += fmt::format("{0}{1}{2}{1}", out.empty() ? "" : ", ", quote, word);
  return out;
}

std::string name_suggestion(std::string_view word, const std::vector<std::string_view>& names) { return suggestion(word, names); }

std::u32string from_utf8(std::string_view text) {
  std::u32string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) throw UserError(fmt::format("the text is not UTF-8 at byte {}", at + 1));
    char32_t c = length > 1 ? byte_at(text, at) & (0x7f >> length) : byte_at(text, at);
    for (std::size_t i = 1; i < length; ++i) c = c << 6 | (byte_at(text, at + i) & 0x3f);
    out += c;
    at += length;
  }
  return out;
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 40;  // enough to recognise the place, short enough for one line
  std::string result;
  for (const char c : text.substr(0, kLongest)) result += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > kLongest) result += "...";
  return result;
}

}  // namespace firn
