#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include "firn/error.h"
#include "io/file.h"
#include "io/printable.h"
#include "io/usda.h"
#include "io/usda_points.h"

namespace firn {
namespace {

constexpr std::string_view kMagic = "#usda ";
constexpr std::string_view kSamples = ".timeSamples";

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Walks through the prims of a file; how deep they lie in each other is counted, not recursed into.
class StageReader {
 public:
  StageReader(const std::string& file, std::string_view bytes) : file_(file), lexer_(file, bytes), points_(lexer_) {}

  Frame read() {
    lexer_.skip_line();
    lexer_.skip_metadata();
    while (!lexer_.at_end()) {
      if (lexer_.take('}')) {
        close_brace();
      } else {
        read_statement();
      }
    }
    if (depth_ > 0) lexer_.fail(fmt::format("the file ends, but {} braces are still open", depth_));
    if (!found_) throw UserError(file_ + ": there is no Points prim in it");
    return points_.take(prim_at_);
  }

 private:
  void open_brace() {
    lexer_.expect('{');
    ++depth_;
  }

  void close_brace() {
    if (depth_ == 0) lexer_.fail("a '}' too many");
    if (depth_ == prim_depth_) prim_depth_ = 0;
    --depth_;
  }

  void read_statement() {
    if (const char next = lexer_.peek(); next == '"' || next == '\'') return read_variant();
    const std::size_t at = lexer_.position();
    std::string_view word = lexer_.take_word();
    if (is_one_of(word, {"def", "over", "class"})) return read_prim(word, at);
    if (word == "variantSet") {
      lexer_.skip_string();
      lexer_.expect('=');
      return open_brace();
    }
    const bool reorder = word == "reorder";
    while (is_one_of(word, {"custom", "uniform", "varying", "config", "add", "append", "prepend", "delete", "reorder"}))
      word = lexer_.take_word();
    if (word.empty()) lexer_.fail(fmt::format("{} where a statement should be", lexer_.describe_next()));
    if (reorder && lexer_.take('=')) return lexer_.skip_value();  // "reorder properties = [...]" has no type
    read_property(word, at);
  }

  // "name" { ... } within a variantSet.
  void read_variant() {
    lexer_.skip_string();
    lexer_.skip_metadata();
    open_brace();
  }

  void read_prim(std::string_view specifier, std::size_t at) {
    const std::string_view type = lexer_.take_word();
    lexer_.skip_string();
    lexer_.skip_metadata();
    open_brace();
    if (specifier != "def" || type != "Points" || found_) return;
    found_ = true;
    prim_depth_ = depth_;
    prim_at_ = at;
  }

  void read_property(std::string_view type, std::size_t at) {
    UsdaProperty property{type, false, {}, false, at};
    if (lexer_.take('[')) {
      lexer_.expect(']');
      property.is_array = true;
    }
    property.name = lexer_.take_word();
    if (property.name.empty()) lexer_.fail(fmt::format("{} where a name should follow '{}'", lexer_.describe_next(), printable(type)));
    if (property.name.size() > kSamples.size() && property.name.substr(property.name.size() - kSamples.size()) == kSamples) {
      property.name.remove_suffix(kSamples.size());
      property.is_sampled = true;
    }
    lexer_.skip_metadata();
    if (!lexer_.take('=')) return;
    if (prim_depth_ > 0 && depth_ == prim_depth_ && type != "rel") {
      points_.read(property);
    } else {
      lexer_.skip_value();
    }
    lexer_.skip_metadata();
  }

  const std::string& file_;
  UsdaLexer lexer_;
  UsdaPoints points_;
  std::size_t depth_ = 0;       // braces that are open
  std::size_t prim_depth_ = 0;  // that of the Points prim while in it; else 0
  bool found_ = false;          // the Points prim: the first one counts
  std::size_t prim_at_ = 0;
};

}  // namespace

Frame parse_usda(const std::string& file, std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic) throw UserError(file + ": not a USD ASCII file: it does not start with '#usda'");
  return StageReader(file, bytes).read();
}

Frame read_usda(const std::string& path) { return parse_usda(path, read_file(path)); }

}  // namespace firn
