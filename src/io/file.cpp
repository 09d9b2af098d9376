#include "io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <system_error>
#include <utility>

#include "firn/error.h"

namespace firn {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

// Closes whatever way the reading ends.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

std::string read_file(const std::string& path) { return read_file_start(path, std::numeric_limits<std::size_t>::max()); }

std::string read_file_start(const std::string& path, std::size_t most) {
  const auto fail = [&path](int error) { throw UserError(fmt::format("{}: {}", path, reason(error))); };
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};  // a named pipe must not hang the program
  if (file.fd < 0) fail(errno);
  struct stat status {};
  if (::fstat(file.fd, &status) != 0) fail(errno);
  if (!S_ISREG(status.st_mode)) throw UserError(fmt::format("{}: not a regular file", path));

  std::string bytes(std::min(static_cast<std::size_t>(status.st_size), most), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(file.fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(errno);
    if (n == 0) break;  // the file shrank meanwhile: the parser reports what is missing
    done += static_cast<std::size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

// The process id keeps two programs that write the same file from sharing a temporary.
AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), temporary_(fmt::format("{}.{}.tmp", path_, ::getpid())) {
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail(errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

void AtomicFile::fail(int error) const { throw RunError(fmt::format("{}: cannot write: {}", path_, reason(error))); }

}  // namespace firn
