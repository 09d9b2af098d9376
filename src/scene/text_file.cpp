#include "scene/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "firn/error.h"

namespace firn {

std::string read_text_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw UserError(Location{path}, fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::string text(kLargestText + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get())) throw UserError(Location{path}, fmt::format("cannot be read: {}", std::strerror(errno)));
  if (text.size() > kLargestText) throw UserError(Location{path}, fmt::format("is larger than {} MiB", kLargestText >> 20));
  return text;
}

}  // namespace firn
