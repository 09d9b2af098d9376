// The attributes of a Points prim, as they come, on their way into the columns of a frame.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "io/usda_layout.h"
#include "io/usda_lexer.h"

namespace firn {

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

}  // namespace firn
