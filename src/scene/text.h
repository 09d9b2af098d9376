// Text helpers of the scene layer: UTF-8, TOML literals, and messages that help with a typo.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace firn::schema {

inline constexpr std::size_t kLargestText = std::size_t{16} << 20;  // bytes of a scene file; what is bulky has formats of its own

using Words = std::span<const std::string_view>;

// Bytes of the UTF-8 character that starts at `at`; 0 when there is none.
std::size_t utf8_length(std::string_view text, std::size_t at);
bool is_utf8(std::string_view text);

// Letters, digits, '_' and '-', at least one.
bool is_plain_name(std::string_view name);

// As TOML reads it back, to the last bit.
std::string toml_string(std::string_view text);
std::string toml_number(double value);

// `text` for a message: control characters and stray bytes escaped, so that it stays on one line.
std::string one_line(std::string_view text);
// The same, cut when long.
std::string shortened(std::string_view text);

// The candidate a typo most likely meant; empty when none is close.
std::string_view nearest(std::string_view word, Words candidates);

// ", did you mean 'x'? allowed: 'x', 'y'", without the question when nothing is close. `quote` goes around every word.
std::string suggestion(std::string_view word, Words candidates, std::string_view quote = "'");
std::string listed(Words words, std::string_view quote = "'");

}  // namespace firn::schema
