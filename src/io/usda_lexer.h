// The words of a USD ASCII file, apart because they mean nothing yet, and how to get past what is of no interest. Nothing here calls
// itself, whatever the nesting.
#pragma once

#include <string>
#include <string_view>

namespace firn {

class UsdaLexer {
 public:
  UsdaLexer(const std::string& file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  // These go past blanks, line ends and comments first.
  bool at_end();
  char peek();               // '\0' at the end
  bool take(char expected);  // false: something else comes
  void expect(char expected);
  std::string_view take_word();  // letters, digits and what joins them; empty: something else comes
  template <class Number>
  Number take_number();  // float, double or std::int64_t
  void skip_string();
  void skip_value();     // one of any kind
  void skip_metadata();  // "( ... )", if it comes
  void skip_line();

  std::string describe_next();  // what stands here, for messages

  // All up to and with the bracket that closes one already taken.
  void skip_to_closing(char bracket);

  std::size_t position() const { return position_; }
  // Throws UserError about the byte `at`.
  [[noreturn]] void fail(const std::string& what) const { fail(what, position_); }
  [[noreturn]] void fail(const std::string& what, std::size_t at) const;

 private:
  bool starts(std::string_view text) const { return bytes_.substr(position_, text.size()) == text; }
  void skip_blanks();
  bool skip_comment();
  void skip_quoted();
  void skip_asset_path();
  void skip_past(std::string_view begin, std::string_view end);

  const std::string& file_;
  std::string_view bytes_;
  std::size_t position_ = 0;
};

}  // namespace firn
