// The header of a PLY file: which elements follow, how many and of what.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace firn {

enum class PlyFormat { kAscii, kLittleEndian, kBigEndian };
enum class PlyType { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat, kDouble };

std::size_t size_of(PlyType type);

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::kFloat;  // of a list: of its entries
  bool is_list = false;
  PlyType count_type = PlyType::kUint8;  // of a list's length
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
};

struct PlyHeader {
  PlyFormat format = PlyFormat::kAscii;
  std::vector<PlyElement> elements;
  std::size_t size = 0;   // bytes up to the first row
  std::size_t lines = 0;  // up to the first row
};

// `file` names the file in errors. Throws UserError.
PlyHeader parse_ply_header(const std::string& file, std::string_view bytes);

// The line at `position`, without its line end; moves `position` behind it.
std::string_view take_line(std::string_view bytes, std::size_t& position);

// The next word of `line` (empty at the end); moves `line` behind it.
std::string_view take_word(std::string_view& line);

}  // namespace firn
