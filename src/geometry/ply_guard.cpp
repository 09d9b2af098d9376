#include "geometry/ply_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

#include "firn/error.h"

namespace firn {
namespace {

constexpr std::size_t kLongestHeader = 1 << 16;  // bytes; those of real files have some hundreds
constexpr std::string_view kBlank = " \t\r";

struct Header {
  bool is_text = false;
  double rows = 0;               // of all elements; a double, because the file may promise any number
  bool ends_with_lists = false;  // the rows of the last element start with the length of a list
};

std::string first_word(const std::string& line) {
  std::string word;
  std::istringstream(line) >> word;
  return word;
}

void read_line(const std::string& line, Header& header) {
  std::istringstream words(line);
  std::string keyword, name;
  words >> keyword >> name;
  if (keyword == "format") header.is_text = name == "ascii";
  if (keyword == "property") header.ends_with_lists = name == "list";
  double count = 0;
  if (keyword == "element" && words >> count) header.rows += count;
}

// Leaves `file` at the first row.
Header read_header(std::istream& file, const std::string& path) {
  Header header;
  std::size_t size = 0;
  for (std::string line; size < kLongestHeader && std::getline(file, line); size += line.size()) {
    if (first_word(line) == "end_header" && !file.eof()) return header;
    read_line(line, header);
  }
  throw UserError(Location{path}, "the header of the PLY file has no line 'end_header'");
}

// The last row of a list is cut when it has fewer words than its first one says.
bool is_cut(const std::string& row) {
  std::istringstream words(row);
  double length = 0;
  if (!(words >> length)) return false;  // assimp says what is wrong with it
  std::string word;
  while (length > 0 && words >> word) --length;
  return length > 0;
}

}  // namespace

void check_ply_is_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const Header header = read_header(file, path);
  if (!header.is_text) return;
  double rows = 0;
  std::string last;
  for (std::string line; rows < header.rows && std::getline(file, line);) {
    if (line.find_first_not_of(kBlank) == std::string::npos) continue;
    ++rows;
    last.swap(line);
  }
  if (rows < header.rows) throw UserError(Location{path}, fmt::format("the file is cut off: it has {} of {} rows", rows, header.rows));
  if (header.ends_with_lists && is_cut(last)) throw UserError(Location{path}, "the file is cut off: its last row is not complete");
}

}  // namespace firn
