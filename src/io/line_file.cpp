#include "io/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "firn/error.h"

namespace firn {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw RunError(fmt::format("{}: cannot write: {}", path, std::generic_category().message(error)));
}

}  // namespace

LineFile::~LineFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void LineFile::open(const std::string& path) {
  path_ = path;
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(path_, errno);
}

void LineFile::add(std::string_view line) {
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t n = ::write(descriptor_, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;
      if (::ftruncate(descriptor_, size_) != 0) fail(path_, errno);
      fail(path_, error);
    }
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  size_ += static_cast<long>(line.size());
}

}  // namespace firn
