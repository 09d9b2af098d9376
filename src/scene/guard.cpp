#include "scene/guard.h"

#include <fmt/format.h>

#include <string>

#include "scene/text.h"

namespace firn::schema {
namespace {

constexpr int kDeepestNesting = 16;  // brackets in brackets, or dots in one key; a scene needs three
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

class Guard {
 public:
  Guard(std::string_view text, const Location& start) : text_(text), where_(start) {}

  void check_whole() {
    if (text_.starts_with(kByteOrderMark)) fail("the file starts with a byte order mark, save it as plain UTF-8");
    if (text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff")) fail("the file is UTF-16, save it as UTF-8");
    while (at_ < text_.size()) step();
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw UserError(where_, message); }

  void step() {
    const char c = text_[at_];
    if (c == '#') return skip_comment();
    if (c == '"' || c == '\'') return skip_string(c);
    if (static_cast<unsigned char>(c) >= 0x80) fail_outside_string();
    count_nesting(c);
    advance();
  }

  [[noreturn]] void fail_outside_string() const {
    const std::size_t length = utf8_length(text_, at_);
    if (length == 0) fail_not_utf8();
    fail(fmt::format("'{}' may stand only in quotes and comments", text_.substr(at_, length)));
  }

  [[noreturn]] void fail_not_utf8() const {
    fail(fmt::format("byte 0x{:02x} is not UTF-8, save the scene as a UTF-8 text", static_cast<unsigned char>(text_[at_])));
  }

  // One character on, when it may stand in a text at all.
  void advance() {
    const unsigned char c = static_cast<unsigned char>(text_[at_]);
    const bool is_space = c == '\t' || c == '\n' || c == '\r';
    if ((c < 0x20 && !is_space) || c == 0x7f) fail(fmt::format("control character 0x{:02x}, a scene is a text file", c));
    const std::size_t length = utf8_length(text_, at_);
    if (length == 0) fail_not_utf8();
    at_ += length;
    ++where_.column;
    if (c == '\n') {
      ++where_.line;
      where_.column = 1;
    }
  }

  void skip_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') advance();
  }

  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool multiline = text_.substr(at_).starts_with(triple);
    const std::string_view end = multiline ? std::string_view(triple) : std::string_view(triple).substr(0, 1);
    const Location start = where_;
    for (std::size_t i = 0; i < end.size(); ++i) advance();
    while (!text_.substr(at_).starts_with(end)) {
      if (at_ < text_.size() && text_[at_] == '\\' && quote == '"') advance();  // the next quote is part of the text
      if (at_ >= text_.size() || (text_[at_] == '\n' && !multiline)) throw UserError(start, "the closing quote of this string is missing");
      advance();
    }
    for (std::size_t i = 0; i < end.size(); ++i) advance();
    // Up to two quotes may stand directly before the closing three.
    while (multiline && at_ < text_.size() && text_[at_] == quote) advance();
  }

  void count_nesting(char c) {
    if (c == '[' || c == '{') ++brackets_;
    if (c == ']' || c == '}') --brackets_;
    if (c == '.') ++dots_;
    if (c == '=' || c == ',' || c == '\n' || c == '{') dots_ = 0;
    if (brackets_ > kDeepestNesting || dots_ > kDeepestNesting) fail(fmt::format("nested more than {} levels deep", kDeepestNesting));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Location where_;
  int brackets_ = 0;
  int dots_ = 0;
};

}  // namespace

void check_text(std::string_view text, const Location& start) { Guard(text, start).check_whole(); }

}  // namespace firn::schema
