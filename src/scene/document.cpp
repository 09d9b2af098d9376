// What toml++ must never see. Version 3.3 runs into undefined behaviour on some non-ASCII letters outside of strings, and frees
// deeply nested tables by recursion; both are stopped here, with a message that says where and what to do.
#include "scene/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "core/text.h"
#include "firn/error.h"

namespace firn::schema {
namespace {

constexpr int kDeepestNesting = 16;  // brackets in brackets, or dots in one key; a scene needs three

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

// Throws UserError at the first byte that cannot stand in a scene. `start` is the place of the first one.
void check_text(std::string_view text, const Location& start) { Guard(text, start).check_whole(); }

constexpr std::array<Section, 12> kSections{{{"simulation", SectionForm::kTable},
                                             {"solver", SectionForm::kTable},
                                             {"materials", SectionForm::kNamedTables},
                                             {"snow", SectionForm::kBodies},
                                             {"source", SectionForm::kBodies},
                                             {"collider", SectionForm::kBodies},
                                             {"sink", SectionForm::kBodies},
                                             {"domain", SectionForm::kTable},
                                             {"window", SectionForm::kTable},
                                             {"output", SectionForm::kTable},
                                             {"render", SectionForm::kTable},
                                             {"variants", SectionForm::kVariants}}};

// "Error while parsing array: ..." as the second half of a line that already says FILE:LINE:COL.
std::string description_of(const toml::parse_error& error) {
  constexpr std::string_view kPrefix = "Error while ";
  std::string_view text = error.description();
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  return "not valid TOML, " + one_line(text);
}

// A text without its quotes, where a value should be.
struct BareText {
  std::string_view text;
  int column;  // of its first character
};

// The bytes that come before a column, which counts characters.
std::size_t bytes_before(std::string_view line, std::size_t column) {
  std::size_t at = 0;
  while (--column > 0 && at < line.size()) at += std::max<std::size_t>(utf8_length(line, at), 1);
  return at;
}

// What most mistakes in values are: shape = sphere. The place of the error is in the word or before it.
std::optional<BareText> bare_text(std::string_view document, const toml::parse_error& error) {
  constexpr std::string_view kEnds = "=,[]{}\"'#", kSpaces = " \t\r";
  if (error.description().find("key") != std::string_view::npos) return std::nullopt;
  const toml::source_position place = error.source().begin;
  for (toml::source_index line = 1; line < place.line; ++line)
    document.remove_prefix(std::min(document.find('\n'), document.size() - 1) + 1);
  const std::string_view line = document.substr(0, document.find('\n'));
  std::size_t begin = bytes_before(line, place.column);
  while (begin > 0 && kEnds.find(line[begin - 1]) == std::string_view::npos) --begin;
  begin = std::min(line.find_first_not_of(kSpaces, begin), line.size());
  std::string_view text = line.substr(begin, line.find_first_of(kEnds, begin) - begin);
  text = text.substr(0, text.find_last_not_of(kSpaces) + 1);
  const auto starts_text = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_' || c == '/' || c == '.' || c == '~'; };
  if (text.empty() || !starts_text(static_cast<unsigned char>(text[0]))) return std::nullopt;
  return BareText{text, static_cast<int>(begin) + 1};
}

// Where a document is wrong, and what to do about it.
UserError failure_of(std::string_view document, const toml::parse_error& error, Location where) {
  const std::optional<BareText> bare = bare_text(document, error);
  if (!bare) return UserError(where, description_of(error));
  if (where.line > 0) where.column = bare->column;
  const std::string shown = shortened(bare->text);
  std::string small = shown;
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (small == "true" || small == "false") return UserError(where, fmt::format("{}: must be written {}, in small letters", shown, small));
  return UserError(where, fmt::format("{}: a text must stand in quotes, \"{}\"", shown, shown));
}

bool has_form(const toml::node& node, SectionForm form) {
  if (form != SectionForm::kBodies) return node.is_table();
  const toml::array* bodies = node.as_array();
  return bodies && std::all_of(bodies->begin(), bodies->end(), [](const toml::node& body) { return body.is_table(); });
}

std::string form_text(const Section& section) {
  switch (section.form) {
    case SectionForm::kTable: return fmt::format("[{}]", section.name);
    case SectionForm::kNamedTables:
    case SectionForm::kVariants: return fmt::format("[{}.NAME]", section.name);
    case SectionForm::kBodies: return fmt::format("[[{}]]", section.name);
  }
  return {};
}

void check_variants(const toml::table& variants, const std::string& file) {
  for (const auto& [name, changes] : variants) {
    const Location where = locate(name.source(), file);
    if (!changes.is_table()) throw UserError(where, fmt::format("'{}' must stand in a table [variants.NAME]", shortened(name.str())));
    if (!is_plain_name(name.str()))
      throw UserError(where, fmt::format("variant '{}': a name has letters, digits, '_' and '-'", shortened(name.str())));
  }
}

void check_section(const toml::key& key, const toml::node& node, const std::string& file) {
  const Location where = locate(key.source(), file);
  const Section* section = find_section(key.str());
  if (!section) {
    const std::string_view kind = node.is_table() || node.is_array_of_tables() ? "section" : "key";
    throw UserError(where, fmt::format("unknown {} '{}'{}", kind, shortened(key.str()), section_suggestion(key.str())));
  }
  if (section->form == SectionForm::kVariants && node.is_table()) check_variants(*node.as_table(), file);
  if (!has_form(node, section->form)) throw UserError(where, fmt::format("'{}' must be written as {}", section->name, form_text(*section)));
}

}  // namespace

const Section* find_section(std::string_view name) {
  const auto found = std::find_if(kSections.begin(), kSections.end(), [&](const Section& section) { return section.name == name; });
  return found == kSections.end() ? nullptr : &*found;
}

std::string section_suggestion(std::string_view name) {
  std::array<std::string_view, kSections.size()> names;
  std::transform(kSections.begin(), kSections.end(), names.begin(), [](const Section& section) { return section.name; });
  return suggestion(name, names);
}

toml::table parse_document(std::string_view text, const std::string& file) {
  check_text(text, {file, 1, 1});
  try {
    toml::table root = toml::parse(text, std::string_view(file));
    for (const auto& [key, node] : root) check_section(key, node, file);
    return root;
  } catch (const toml::parse_error& error) {
    throw failure_of(text, error, locate(error.source(), file));
  }
}

toml::table parse_fragment(std::string_view text, const std::string& name) {
  check_text(text, {name});
  try {
    return toml::parse(text, std::string_view(name));
  } catch (const toml::parse_error& error) {
    throw failure_of(text, error, Location{name});
  }
}

Location locate(const toml::source_region& region, const std::string& file) {
  if (region.path && *region.path != file) return {*region.path};
  if (region.begin.line == 0) return {file, 1, 1};
  return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

bool is_plain_name(std::string_view name) {
  const auto is_plain = [](unsigned char c) { return c < 0x80 && (std::isalnum(c) || c == '_' || c == '-'); };
  return !name.empty() && std::all_of(name.begin(), name.end(), is_plain);
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (is_control(static_cast<unsigned char>(c))) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string toml_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace firn::schema
