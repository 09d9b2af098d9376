// Text: UTF-8, what a user wrote as messages quote it, and help with a typo.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace firn {

using Words = std::span<const std::string_view>;

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // some editors and spreadsheets write one
// Bytes of the UTF-8 character that starts at `at`; 0 when there is none.
std::size_t utf8_length(std::string_view text, std::size_t at);
bool is_utf8(std::string_view text);
// The characters of a UTF-8 text. Throws UserError for bytes that are not UTF-8.
std::u32string from_utf8(std::string_view text);

inline constexpr std::string_view kBlanks = " \t\r";
// Without blanks around it.
std::string_view trimmed(std::string_view text);
bool is_control(unsigned char c);
// `text` for a message: control characters and stray bytes escaped, so that it stays on one line.
std::string one_line(std::string_view text);
// The same, cut when long.
std::string shortened(std::string_view text);
// Bytes of a file for a message: what is not ASCII becomes '?', cut when long.
std::string printable(std::string_view text);

// The candidate a typo most likely meant; empty when none is close.
std::string_view nearest(std::string_view word, Words candidates);
// ", did you mean 'x'? allowed: 'x', 'y'", without the question when nothing is close. `quote` goes around every word.
std::string suggestion(std::string_view word, Words candidates, std::string_view quote = "'");
std::string listed(Words words, std::string_view quote = "'");

}  // namespace firn
