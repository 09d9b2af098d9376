// The vertices of a Wavefront OBJ file as particles, for clouds of points from modelling programs.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/files.h"
#include "core/text.h"
#include "firn/error.h"
#include "io/particle_files.h"

namespace firn {
namespace {

constexpr std::string_view kSpaces = " \t\r";

// The next word of a line, which is taken off it.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kSpaces), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kSpaces));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

Frame parse_obj_points(const std::string& file, std::string_view bytes) {
  Frame frame;
  int number = 0;
  while (!bytes.empty()) {
    ++number;
    std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
    const auto fail = [&](const std::string& what) { throw UserError(Location{file, number, 1}, what); };
    const std::string_view kind = next_word(line);
    if (kind == "f") fail("the file has faces: shape = \"mesh\" fills them with snow, \"particles\" takes files of points alone");
    if (kind != "v") continue;
    auto& point = frame.position.emplace_back();
    for (std::size_t d = 0; d < 3; ++d) {
      const std::string_view word = next_word(line);
      double value = 0;
      const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
      if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size() || !std::isfinite(value))
        fail(fmt::format("'{}': a vertex has three numbers, v x y z", shortened(one_line(word))));
      point[d] = value;
    }
  }
  if (frame.size() == 0) throw UserError(file + ": no line 'v x y z', a file of points has one for each");
  return frame;
}

Frame read_obj_points(const std::string& path) { return parse_obj_points(path, read_file(path)); }

}  // namespace firn
