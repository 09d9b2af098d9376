#include "core/read_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "firn/error.h"

namespace firn {

std::string read_file(const std::string& path, std::size_t largest) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw UserError(Location{path}, fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::string content;
  while (content.size() <= largest) {
    const std::size_t before = content.size();
    content.resize(before + std::min(kPiece, largest + 1 - before));
    content.resize(before + std::fread(content.data() + before, 1, content.size() - before, file.get()));
    if (content.size() == before) break;
  }
  if (std::ferror(file.get())) throw UserError(Location{path}, fmt::format("cannot be read: {}", std::strerror(errno)));
  if (content.size() > largest) throw UserError(Location{path}, fmt::format("is larger than {} MiB", largest >> 20));
  return content;
}

}  // namespace firn
