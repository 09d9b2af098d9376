#include "io/usda_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "core/text.h"
#include "firn/error.h"

namespace firn {
namespace {

constexpr std::string_view kTripleAt = "@@@";

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == ';'; }

// Names may be in any language: bytes above ASCII are letters.
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':' || c == '.' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_number(char c) { return is_word(c) || c == '+' || c == '-'; }

char closing(char opening) {
  if (opening == '(') return ')';
  if (opening == '[') return ']';
  return opening == '{' ? '}' : '\0';
}

}  // namespace

bool UsdaLexer::at_end() {
  skip_blanks();
  return position_ == bytes_.size();
}

char UsdaLexer::peek() { return at_end() ? '\0' : bytes_[position_]; }

bool UsdaLexer::take(char expected) {
  if (at_end() || bytes_[position_] != expected) return false;
  ++position_;
  return true;
}

void UsdaLexer::expect(char expected) {
  if (take(expected)) return;
  fail(fmt::format("{} where '{}' should be", describe_next(), expected));
}

std::string UsdaLexer::describe_next() {
  return at_end() ? "the end of the file" : fmt::format("'{}'", printable(bytes_.substr(position_, 1)));
}

std::string_view UsdaLexer::take_word() {
  skip_blanks();
  const std::size_t begin = position_;
  while (position_ < bytes_.size() && is_word(bytes_[position_])) ++position_;
  return bytes_.substr(begin, position_ - begin);
}

template <class Number>
Number UsdaLexer::take_number() {
  skip_blanks();
  const char* const begin = bytes_.data() + position_;
  Number value{};
  const auto [stop, error] = std::from_chars(begin, bytes_.data() + bytes_.size(), value);
  if (error == std::errc::invalid_argument) fail(fmt::format("{} where a number should be", describe_next()));
  if (error == std::errc::result_out_of_range) {
    const std::string text(begin, stop);
    if (std::is_integral_v<Number>) fail(fmt::format("{} is out of range", printable(text)));
    value = static_cast<Number>(std::strtod(text.c_str(), nullptr));  // tells the tiny (0) from the huge (infinite)
  }
  position_ += static_cast<std::size_t>(stop - begin);
  return value;
}
template float UsdaLexer::take_number<float>();
template double UsdaLexer::take_number<double>();
template std::int64_t UsdaLexer::take_number<std::int64_t>();

void UsdaLexer::skip_string() {
  if (const char next = peek(); next != '"' && next != '\'') fail(fmt::format("{} where a name in quotes should be", describe_next()));
  skip_quoted();
}

void UsdaLexer::skip_value() {
  const char next = peek();
  if (closing(next) != '\0') {
    ++position_;
    return skip_to_closing(closing(next));
  }
  if (next == '"' || next == '\'') return skip_quoted();
  if (next == '@') return skip_asset_path();
  if (next == '<') return skip_past("<", ">");
  const std::size_t begin = position_;
  while (position_ < bytes_.size() && is_number(bytes_[position_])) ++position_;
  if (position_ == begin) fail(fmt::format("{} where a value should be", describe_next()));
}

void UsdaLexer::skip_metadata() {
  if (take('(')) skip_to_closing(')');
}

void UsdaLexer::skip_line() { position_ = std::min(bytes_.find('\n', position_), bytes_.size()); }

void UsdaLexer::skip_to_closing(char bracket) {
  const std::size_t begin = position_;
  std::string open(1, bracket);  // the closing brackets still to come, the next one last
  while (position_ < bytes_.size()) {
    const char c = bytes_[position_];
    if (closing(c) != '\0') {
      open += closing(c);
    } else if (c == ')' || c == ']' || c == '}') {
      if (c != open.back()) fail(fmt::format("'{}' where '{}' should be", c, open.back()));
      open.pop_back();
    } else if (c == '"' || c == '\'') {
      skip_quoted();
      continue;
    } else if (c == '@') {
      skip_asset_path();
      continue;
    } else if (c == '<') {
      skip_past("<", ">");
      continue;
    } else if (skip_comment()) {
      continue;
    }
    ++position_;
    if (open.empty()) return;
  }
  fail(fmt::format("a bracket without its '{}'", bracket), begin);
}

void UsdaLexer::fail(const std::string& what, std::size_t at) const {
  const auto line = 1 + std::count(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  throw UserError(fmt::format("{}: at line {}, byte {}: {}", file_, line, at, what));
}

void UsdaLexer::skip_blanks() {
  while (position_ < bytes_.size()) {
    if (is_blank(bytes_[position_])) {
      ++position_;
    } else if (!skip_comment()) {
      return;
    }
  }
}

bool UsdaLexer::skip_comment() {
  if (bytes_[position_] == '#' || starts("//")) {
    skip_line();
    return true;
  }
  if (!starts("/*")) return false;
  skip_past("/*", "*/");
  return true;
}

void UsdaLexer::skip_quoted() {
  const std::size_t begin = position_;
  const char quote = bytes_[position_];
  const std::string triple(3, quote);
  const bool long_text = starts(triple);
  position_ += long_text ? triple.size() : 1;
  const std::string_view marks = quote == '"' ? "\\\n\"" : "\\\n'";
  while ((position_ = bytes_.find_first_of(marks, position_)) != std::string_view::npos) {
    if (bytes_[position_] == quote && (!long_text || starts(triple))) {
      position_ += long_text ? triple.size() : 1;
      return;
    }
    if (bytes_[position_] == '\n' && !long_text) break;
    position_ += bytes_[position_] == '\\' ? 2 : 1;
  }
  fail("a text without its closing quote", begin);
}

void UsdaLexer::skip_asset_path() {
  const std::size_t begin = position_;
  if (!starts(kTripleAt)) {
    position_ = bytes_.find_first_of("@\n", position_ + 1);
    if (position_ == std::string_view::npos || bytes_[position_] == '\n') fail("an asset path without its closing @", begin);
    ++position_;
    return;
  }
  do {
    position_ = bytes_.find(kTripleAt, position_ + kTripleAt.size());
    if (position_ == std::string_view::npos) fail("an asset path without its closing @@@", begin);
  } while (bytes_[position_ - 1] == '\\');
  position_ += kTripleAt.size();
  for (int more = 0; more < 2 && starts("@"); ++more) ++position_;  // the path may end with them
}

void UsdaLexer::skip_past(std::string_view begin, std::string_view end) {
  const std::size_t found = bytes_.find(end, position_ + begin.size());
  if (found == std::string_view::npos) fail(fmt::format("'{}' without its '{}'", begin, end));
  position_ = found + end.size();
}

}  // namespace firn
