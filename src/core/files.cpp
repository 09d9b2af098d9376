#include "core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>

#include "firn/error.h"
#include "firn/files.h"

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

namespace {

bool starts_with(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto [at, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return at == folder.end() || (at->empty() && std::next(at) == folder.end());  // the folder may end with a slash
}

}  // namespace

bool is_inside(const std::filesystem::path& folder, const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  const fs::path named = path.lexically_normal();
  if (!starts_with(named, folder.lexically_normal())) return false;
  std::error_code failure;
  fs::path there = named;  // as much of it as there is, be it a link
  while (there.has_relative_path() && !fs::exists(fs::symlink_status(there, failure))) there = there.parent_path();
  if (!fs::exists(there, failure)) return false;
  const fs::path whole = fs::weakly_canonical(named, failure);
  if (failure) return false;
  const fs::path root = fs::weakly_canonical(folder, failure);
  return !failure && starts_with(whole, root);
}

namespace {

constexpr std::string_view kTemporaryEnding = ".tmp";
constexpr int kMostTries = 10000;  // of names that may be taken

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

}  // namespace

std::string system_reason(int error) { return std::generic_category().message(error); }

int Descriptor::close() {
  const int number = std::exchange(number_, -1);
  return number >= 0 && ::close(number) != 0 ? errno : 0;
}

// The process id makes the first try succeed; where it does not, a process of the same number in the past or on another machine was there.
Descriptor make_temporary(const std::string& path, std::string& name) {
  for (int k = 0; k < kMostTries; ++k) {
    name = fmt::format("{}.{}-{}{}", path, ::getpid(), k, kTemporaryEnding);
    const int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return Descriptor(file);
  }
  return Descriptor();
}

std::optional<std::string> target_of_temporary(const std::string& name) {
  std::string_view rest = name;
  if (!rest.ends_with(kTemporaryEnding)) return std::nullopt;
  rest.remove_suffix(kTemporaryEnding.size());
  const std::size_t dash = rest.rfind('-'), dot = rest.rfind('.');
  if (dash == std::string_view::npos || dot == std::string_view::npos || dot == 0 || dash < dot) return std::nullopt;
  if (!is_number(rest.substr(dot + 1, dash - dot - 1)) || !is_number(rest.substr(dash + 1))) return std::nullopt;
  return std::string(rest.substr(0, dot));
}

void check_file_can_be_made(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(path, error)) throw UserError(fmt::format("{}: is a folder, a file is wanted", path));
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::exists(folder, error)) throw UserError(fmt::format("{}: there is no folder {}", path, folder.string()));
  std::string name;
  if (!make_temporary(path, name)) throw UserError(fmt::format("{}: cannot be written: {}", path, system_reason(errno)));
  ::unlink(name.c_str());
}

int write_all(const Descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(*file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

std::string read_file(const std::string& path) { return read_file_start(path, std::numeric_limits<std::size_t>::max()); }

std::string read_file_start(const std::string& path, std::size_t most) {
  const auto fail = [&path](int error) { throw UserError(fmt::format("{}: {}", path, system_reason(error))); };
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};  // a named pipe must not hang the program
  if (!file) fail(errno);
  struct stat status {};
  if (::fstat(*file, &status) != 0) fail(errno);
  if (!S_ISREG(status.st_mode)) throw UserError(fmt::format("{}: not a regular file", path));

  std::string bytes(std::min(static_cast<std::size_t>(status.st_size), most), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(*file, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(errno);
    if (n == 0) break;  // the file shrank meanwhile: the parser reports what is missing
    done += static_cast<std::size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  file_ = make_temporary(path_, temporary_);
  if (file_) {
    not_left_behind_.emplace(temporary_);
    return;
  }
  const int error = errno;
  temporary_.clear();
  fail(error);
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  if (const int error = write_all(file_, bytes); error != 0) fail(error);
}

void AtomicFile::commit() {
  if (::fsync(*file_) != 0) fail(errno);
  if (const int error = file_.close(); error != 0) fail(error);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  temporary_.clear();
  not_left_behind_.reset();
}

void AtomicFile::fail(int error) const { throw RunError(fmt::format("{}: cannot write: {}", path_, system_reason(error))); }

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
