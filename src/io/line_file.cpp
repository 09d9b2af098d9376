#include "io/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "firn/error.h"

namespace firn {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw RunError(fmt::format("{}: cannot write: {}", path, system_reason(error)));
}

}  // namespace

void LineFile::open(const std::string& path) {
  path_ = path;
  file_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file_) fail(path_, errno);
}

void LineFile::reopen(const std::string& path, long size) {
  path_ = path;
  size_ = size;
  file_ = Descriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  if (!file_ || ::ftruncate(*file_, size) != 0) fail(path_, errno);
}

void LineFile::sync() const {
  if (::fdatasync(*file_) != 0) fail(path_, errno);
}

void LineFile::add(std::string_view line) {
  if (const int error = write_all(file_, line); error != 0) {
    if (::ftruncate(*file_, size_) != 0) fail(path_, errno);
    fail(path_, error);
  }
  size_ += static_cast<long>(line.size());
}

}  // namespace firn
