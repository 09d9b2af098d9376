#include "firn/error.h"

#include <fmt/format.h>

namespace firn {

std::string to_string(const Location& where) {
  if (where.line == 0) return where.file;
  return fmt::format("{}:{}:{}", where.file, where.line, where.column);
}

UserError::UserError(const Location& where, const std::string& message)
    : std::runtime_error(where.file.empty() ? message : fmt::format("{}: {}", to_string(where), message)) {}

}  // namespace firn
