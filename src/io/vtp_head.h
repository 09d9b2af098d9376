// The XML of a VTP file: which arrays are fields of a frame, and where their numbers stand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/attributes.h"

namespace firn {

// A type of numbers that VTK has.
struct VtpType {
  std::string_view name;
  std::size_t bytes;
  double (*load)(const char* from);
};

struct VtpColumn {
  Field field;
  const VtpType* type;
  std::size_t start;  // byte of its first number
};

struct VtpHead {
  std::size_t particles = 0;
  std::vector<VtpColumn> columns;  // all of their numbers are there
  bool double_precision = false;
};

// `file` names it in errors. Throws UserError.
VtpHead parse_vtp_head(const std::string& file, std::string_view bytes);

}  // namespace firn
