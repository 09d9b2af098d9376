// The attributes of a Points prim, as they come, on their way into the columns of a frame.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "core/text.h"
#include "firn/error.h"
#include "io/particle_files.h"
#include "io/usda_lexer.h"

namespace firn {
namespace {

struct UsdaProperty {
  std::string_view type;  // without []
  bool is_array = false;
  std::string_view name;  // without .timeSamples
  bool is_sampled = false;
  std::size_t at = 0;  // byte in the file
};

class UsdaPoints {
 public:
  explicit UsdaPoints(UsdaLexer& lexer) : lexer_(lexer) {}

  // Takes the value, in front of which the lexer stands; one that is not for firn is skipped. Throws UserError.
  void read(const UsdaProperty& property);

  // `at`: where the prim begins. Throws UserError when the arrays do not make a frame.
  Frame take(std::size_t at);

 private:
  // An array that was read. Fields can have two: the schema's and a primvar of more precision, which counts.
  struct Source {
    std::string_view name;  // empty: not there
    std::size_t at = 0;
    bool is_sampled = false, is_double = false;
    std::size_t particles = 0;
  };
  // What take_...() need to know of the array they are in.
  struct Column {
    const Attribute& about;
    const UsdaProperty& property;
    bool is_double;
  };

  Source& source(Field field, bool primvar) { return sources_[static_cast<std::size_t>(field)][primvar]; }
  const Source& best(Field field) { return source(field, !source(field, true).name.empty()); }
  void check_type(const Attribute& about, const UsdaProperty& property) const;
  bool take_samples(const Column& column);
  bool take_array(const Column& column);
  void take_component(const Column& column, int component);
  std::size_t count_particles(const Column& column) const;
  void store(Field field, std::size_t particles);
  void check_counts();

  UsdaLexer& lexer_;
  Frame frame_;
  std::array<std::array<Source, 2>, kFields> sources_;
  std::vector<double> values_;  // of one array; stays allocated for the next
};

bool is_double_type(std::string_view type) { return type.substr(0, 6) == "double" || type.back() == 'd'; }

// "primvars:mass:indices": numbers into the array, which then is not one value per particle.
bool has_indices(std::string_view name) {
  constexpr std::string_view kIndices = ":indices";
  if (name.size() < kIndices.size()) return false;
  const std::string_view values = name.substr(0, name.size() - kIndices.size());
  return name.substr(values.size()) == kIndices && find_usda_name(values).has_value();
}

void UsdaPoints::read(const UsdaProperty& property) {
  if (has_indices(property.name))
    lexer_.fail(fmt::format("{}: primvars with indices cannot be read, write one value per point", property.name), property.at);
  const std::optional<UsdaName> name = find_usda_name(property.name);
  if (!name) return lexer_.skip_value();
  Source& read = source(name->field, name->primvar);
  if (!read.name.empty() && read.is_sampled == property.is_sampled) lexer_.fail(fmt::format("a second {}", property.name), property.at);
  if (!read.name.empty() && read.is_sampled) return lexer_.skip_value();  // samples count more than the value for other times

  check_type(attribute(name->field), property);
  const Column column{attribute(name->field), property, is_double_type(property.type)};
  values_.clear();
  if (property.is_sampled ? !take_samples(column) : !take_array(column)) return;
  read = {property.name, property.at, property.is_sampled, column.is_double, count_particles(column)};
  if (name->primvar || source(name->field, true).name.empty()) store(name->field, read.particles);
}

Frame UsdaPoints::take(std::size_t at) {
  if (best(Field::kPosition).name.empty()) lexer_.fail("the Points prim has no points", at);
  check_counts();
  if (const Source& young = best(Field::kYoungModulus); !young.name.empty() && !best(Field::kStiffness).name.empty())
    lexer_.fail("primvars:stiffness and primvars:young_modulus exclude each other, keep one", young.at);
  for (const Attribute& a : kAttributes)
    frame_.double_precision |= a.kind == ValueKind::kReal && !best(a.field).name.empty() && best(a.field).is_double;
  return std::move(frame_);
}

void UsdaPoints::check_type(const Attribute& about, const UsdaProperty& property) const {
  if (property.is_array && is_usda_type(about.field, property.type)) return;
  const char* allowed = about.components == 3 ? "point3f[], point3d[], vector3f[], vector3d[], float3[], double3[]" : "float[], double[]";
  if (about.kind != ValueKind::kReal) allowed = "int[], int64[]";
  lexer_.fail(
      fmt::format("{} is of type {}{}, allowed: {}", property.name, printable(property.type), property.is_array ? "[]" : "", allowed),
      property.at);
}

// The first of them. False: there is no value.
bool UsdaPoints::take_samples(const Column& column) {
  lexer_.expect('{');
  if (lexer_.take('}')) return false;
  lexer_.take_number<double>();
  lexer_.expect(':');
  const bool found = take_array(column);
  lexer_.skip_to_closing('}');
  return found;
}

bool UsdaPoints::take_array(const Column& column) {
  if (lexer_.peek() == 'N' && lexer_.take_word() == "None") return false;
  const bool triples = column.about.components == 3;
  lexer_.expect('[');
  while (!lexer_.take(']')) {
    if (triples) lexer_.expect('(');
    take_component(column, triples ? 0 : static_cast<int>(values_.size() % static_cast<std::size_t>(column.about.components)));
    for (int c = 1; triples && c < 3; ++c) {
      lexer_.expect(',');
      take_component(column, c);
    }
    if (triples) lexer_.expect(')');
    if (lexer_.take(',')) continue;
    lexer_.expect(']');
    break;
  }
  return true;
}

// Single precision is read as such: digits that are enough for it make another number in double precision.
void UsdaPoints::take_component(const Column& column, int component) {
  const std::size_t at = lexer_.position();
  double value = 0;
  if (column.about.kind != ValueKind::kReal) {
    value = static_cast<double>(lexer_.take_number<std::int64_t>());
  } else {
    value = column.is_double ? lexer_.take_number<double>() : static_cast<double>(lexer_.take_number<float>());
  }
  if (const std::string wrong = complaint(column.about.field, component, value); !wrong.empty())
    lexer_.fail(fmt::format("{}: {}", column.property.name, wrong), at);
  values_.push_back(value);
}

std::size_t UsdaPoints::count_particles(const Column& column) const {
  const std::size_t width = static_cast<std::size_t>(column.about.components);
  if (values_.size() % width != 0)
    lexer_.fail(fmt::format("{} has {} numbers, it must have {} for every point", column.property.name, values_.size(), width),
                column.property.at);
  return values_.size() / width;
}

void UsdaPoints::store(Field field, std::size_t particles) {
  resize(frame_, field, particles);
  if (attribute(field).kind == ValueKind::kReal) {
    std::copy(values_.begin(), values_.end(), reals(frame_, field).begin());
  } else {
    for (std::size_t p = 0; p < particles; ++p) set(frame_, field, p, 0, values_[p]);
  }
}

void UsdaPoints::check_counts() {
  const Source& points = best(Field::kPosition);
  for (const auto& of_field : sources_)
    for (const Source& other : of_field)
      if (!other.name.empty() && other.particles != points.particles)
        lexer_.fail(fmt::format("{} is for {} points, but {} for {}", other.name, other.particles, points.name, points.particles),
                    other.at);
}

constexpr std::string_view kUsdaMagic = "#usda ";
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
  if (bytes.substr(0, kUsdaMagic.size()) != kUsdaMagic) throw UserError(file + ": not a USD ASCII file: it does not start with '#usda'");
  return StageReader(file, bytes).read();
}

Frame read_usda(const std::string& path) { return parse_usda(path, read_file(path)); }

}  // namespace firn
