#include "io/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
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
  file_ = Descriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file_) throw UserError(fmt::format("{}: cannot be opened to go on with it: {}", path, system_reason(errno)));
  struct stat status {};
  if (::fstat(*file_, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < size)
    throw UserError(fmt::format("{}: is not the table that the run wrote, which has at least {} bytes", path, size));
}

void LineFile::truncate() {
  if (::ftruncate(*file_, size_) != 0) fail(path_, errno);
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
