#include "io/run_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include "firn/error.h"
#include "io/formats.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

constexpr int kLockTries = 10;  // whoever asks whether a run goes on holds the lock for a moment
constexpr auto kLockPause = std::chrono::milliseconds(20);

// Names that runs give their files in the folder itself.
bool is_name_of_run(const std::string& name) {
  return name == kRunSceneName || name == kRunStatsName || name == kRunFinalName || name == kRunBodiesName || is_index(name) ||
         name == kNodesPvdName || ((frame_number(name) || nodes_number(name)) && format_of_path(name) != nullptr);
}

// A list may come from anywhere: names that lead out of the folder are not followed.
bool stays_inside(const fs::path& name) {
  return !name.empty() && !name.is_absolute() &&
         std::all_of(name.begin(), name.end(), [](const fs::path& part) { return !part.empty() && part != "." && part != ".."; });
}

Descriptor open_at(int folder, const std::string& name, int flags) {
  return Descriptor(::openat(folder, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666));
}

bool is_regular(int folder, const std::string& name) {
  struct stat status {};
  return ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
}

// Whether the open file is still the one under that name.
bool is_still(const Descriptor& file, int folder, const std::string& name) {
  struct stat opened {
  }, named{};
  return ::fstat(*file, &opened) == 0 && ::fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

std::vector<std::string> names_in(const Descriptor& folder) {
  std::vector<std::string> names;
  const int copy = ::openat(*folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* entries = copy < 0 ? nullptr : ::fdopendir(copy);
  if (entries == nullptr) return names;
  while (const dirent* entry = ::readdir(entries)) names.emplace_back(entry->d_name);
  ::closedir(entries);
  return names;
}

int write_to_list(const Descriptor& list, const std::string& lines) {
  struct stat before {};
  const bool known = ::fstat(*list, &before) == 0;
  if (const int error = write_all(list, lines); error != 0) {
    if (known && ::ftruncate(*list, before.st_size) != 0) return errno;  // half a line would spoil the next
    return error;
  }
  return ::fdatasync(*list) != 0 ? errno : 0;
}

}  // namespace

RunFolder::RunFolder(std::string path, bool overwrite) : path_(std::move(path)), overwrite_(overwrite) {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (!fs::exists(status)) {
    check_parent();
    return;
  }
  if (!fs::is_directory(status)) throw UserError(path_ + ": is not a folder");
  open();
  check_contents(read_run_record(path_));
  lock_scene();
}

RunFolder RunFolder::of_run(std::string path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw UserError(path + ": there is no such folder");
  if (!fs::is_directory(path, error)) throw UserError(path + ": is not a folder");
  RunFolder folder(std::move(path));
  folder.open();
  if (!folder.list_) throw UserError(folder.path_ + ": is not the folder of a run, there is no list of its files (.firn)");
  return folder;
}

// Throws UserError when the folder cannot be made.
void RunFolder::check_parent() const {
  std::error_code error;
  if (fs::is_symlink(path_, error)) throw UserError(path_ + ": is a link to something that is not there");
  fs::path parent = fs::absolute(path_, error).parent_path();
  while (!fs::exists(parent, error) && parent.has_relative_path()) parent = parent.parent_path();
  if (!fs::is_directory(parent, error)) throw UserError(fmt::format("{}: cannot be made: {} is not a folder", path_, parent.string()));
  if (::access(parent.c_str(), W_OK | X_OK) != 0)
    throw UserError(fmt::format("{}: cannot be made: {}: {}", path_, parent.string(), system_reason(errno)));
}

void RunFolder::open() {
  directory_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory_ || ::access(path_.c_str(), W_OK | X_OK) != 0)
    throw UserError(fmt::format("{}: cannot be written to: {}", path_, system_reason(errno)));
  list_ = open_at(*directory_, kRunListName, O_RDWR | O_APPEND);
  if (list_) return lock(list_);
  if (errno != ENOENT) throw UserError(fmt::format("{}: cannot be opened as firn's list: {}", file(kRunListName), system_reason(errno)));
}

void RunFolder::lock(const Descriptor& list) {
  for (int k = 0; k < kLockTries; ++k) {
    if (::flock(*list, LOCK_EX | LOCK_NB) == 0) {
      if (is_still(list, *directory_, kRunListName)) return;
      break;  // another run has begun since the list was opened
    }
    if (errno != EWOULDBLOCK && errno != EINTR) {
      warnings_.push_back(fmt::format("{}: cannot be locked: {}; take care that no other run writes there", path_, system_reason(errno)));
      return;
    }
    std::this_thread::sleep_for(kLockPause);
  }
  throw UserError(path_ + ": another run is writing into this folder; wait for its end, or use another with -o");
}

void RunFolder::check_contents(const RunRecord& record) const {
  for (const std::string& name : names_in(directory_)) {
    if (name == "." || name == ".." || name == kRunListName) continue;
    if (!overwrite_) throw UserError(path_ + ": the folder is not empty; use --overwrite to write into it, or another with -o");
    if (is_name_of_run(name)) check_file(name, record);
  }
}

// Throws UserError when a file in the way of the run to come may not be removed.
void RunFolder::check_file(const std::string& name, const RunRecord& record) const {
  const auto refuse = [&](const char* why) {
    constexpr const char* kWayOut = "and --overwrite removes nothing else; move it away, or use another folder with -o";
    throw UserError(fmt::format("{}: {}, {}", file(name), why, kWayOut));
  };
  const auto listed = record.files.find(name);
  if (listed == record.files.end()) refuse("is not on the list (.firn) of what firn wrote into this folder");
  if (!is_regular(*directory_, name)) refuse("is not the file that firn wrote under this name");
  const bool is_text = !listed->second.empty();
  if (is_text && fingerprint(read_file(file(name))) != listed->second) refuse("is not what firn wrote, it was changed since");
}

// Held while the run of this scene is removed.
Descriptor RunFolder::lock_scene() const {
  Descriptor scene = open_at(*directory_, kRunSceneName, O_RDWR);
  if (scene && ::flock(*scene, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw UserError(path_ + ": pictures are being made of the run in this folder; wait for their end, or use another with -o");
  return scene;
}

void RunFolder::begin(const std::string& scene) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) throw RunError(fmt::format("{}: cannot create the folder: {}", path_, error.message()));
  if (!list_) open();
  const RunRecord earlier = read_run_record(path_);
  check_contents(earlier);  // again: the scene was set up meanwhile, which may have taken minutes
  if (list_) {
    replace(earlier, scene);
  } else {
    start_list(scene);
  }
}

void RunFolder::start_list(const std::string& scene) {
  list_ = open_at(*directory_, kRunListName, O_RDWR | O_APPEND | O_CREAT | O_EXCL);
  if (!list_ && errno == EEXIST) throw UserError(path_ + ": another run has begun to write into this folder; use another with -o");
  if (!list_) fail(kRunListName, "cannot write", errno);
  lock(list_);
  write(title_lines(scene));
}

// The new list is there before anything is removed, and takes the old one's place after everything was: a run that is killed in between
// leaves the old list, and what is still there is on it. Both are locked, so that no moment is without a lock.
void RunFolder::replace(const RunRecord& earlier, const std::string& scene) {
  const Descriptor visitors = lock_scene();
  std::string name;
  Descriptor list = make_temporary(file(kRunListName), name);
  if (!list) fail(kRunListName, "cannot write", errno);
  ::flock(*list, LOCK_EX | LOCK_NB);
  ::fcntl(*list, F_SETFL, O_APPEND);
  try {
    if (const int error = write_to_list(list, title_lines(scene)); error != 0) fail(kRunListName, "cannot write", error);
    remove(earlier, [kept = fs::path(name).filename().string()](const std::string& file) { return file != kRunListName && file != kept; });
    if (::rename(name.c_str(), file(kRunListName).c_str()) != 0) fail(kRunListName, "cannot write", errno);
  } catch (...) {
    ::unlink(name.c_str());
    throw;
  }
  list_ = std::move(list);
}

// What is listed and `goes`, and what a run that was killed has left of it under temporary names. Nothing behind links.
void RunFolder::remove(const RunRecord& earlier, const std::function<bool(const std::string& name)>& goes) {
  std::map<std::string, std::set<std::string>> listed{{"", {kRunListName}}};  // names by folder
  for (const auto& [name, content] : earlier.files)
    if (stays_inside(name)) listed[fs::path(name).parent_path().string()].insert(fs::path(name).filename().string());
  for (const auto& [folder, names] : listed) {
    const Descriptor at = open_inside(folder);
    if (!at && errno != ENOENT) warnings_.push_back(file(folder) + ": is not a folder but a link or a file: what is there stays");
    if (!at) continue;
    for (const std::string& name : names_in(at)) {
      const bool is_ours = names.contains(name) || names.contains(target_of_temporary(name).value_or(""));
      const std::string inside = (fs::path(folder) / name).string();
      if (!is_ours || !goes(inside) || !is_regular(*at, name)) continue;
      if (::unlinkat(*at, name.c_str(), 0) != 0) fail(inside, "cannot be removed", errno);
    }
  }
  for (const fs::path folder : earlier.folders) {
    const Descriptor parent = stays_inside(folder) ? open_inside(folder.parent_path().string()) : Descriptor();
    if (parent) ::unlinkat(*parent, folder.filename().c_str(), AT_REMOVEDIR);  // stays where there is something in it
  }
}

void RunFolder::go_on(const std::function<bool(const std::string& name)>& is_later) {
  const Descriptor visitors = lock_scene();
  remove(read_run_record(path_), [&](const std::string& name) { return target_of_temporary(name) || is_later(name); });
  end("");  // it has not ended after all
}

void RunFolder::make_folder(const std::string& name) {
  if (::mkdirat(*directory_, name.c_str(), 0777) == 0) return write(folder_line(name));
  if (errno != EEXIST) fail(name, "cannot make the folder", errno);
  if (!open_inside(name)) fail(name, "cannot write into the folder", errno);
}

void RunFolder::add_again(const std::string& name) {
  if (again_.contains(name)) return;
  if (!read_run_record(path_).files.contains(name)) add({name});
  again_.insert(name);
}

void RunFolder::remove(const std::string& name) const {
  const fs::path path(name);
  if (const Descriptor at = open_inside(path.parent_path().string()); at && is_regular(*at, path.filename().string()))
    ::unlinkat(*at, path.filename().c_str(), 0);
}

// A folder in this one, not through any link. None: errno says why.
Descriptor RunFolder::open_inside(const std::string& folder) const {
  Descriptor at = open_at(*directory_, ".", O_RDONLY | O_DIRECTORY);
  for (const fs::path& part : fs::path(folder))
    if (at) at = open_at(*at, part.string(), O_RDONLY | O_DIRECTORY);
  return at;
}

void RunFolder::add(const std::vector<std::string>& names) const {
  for (const std::string& name : names) check_free(name);
  write(file_lines(names));
}

void RunFolder::add_text(const std::string& name, std::string_view content) const {
  check_free(name);
  write(text_line(name, content));
}

void RunFolder::renew_text(const std::string& name, std::string_view content) const { write(text_line(name, content)); }

// What was put there since the run began is not replaced either.
void RunFolder::check_free(const std::string& name) const {
  struct stat status {};
  if (::fstatat(*directory_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) fail(name, "cannot write", EEXIST);
}

std::string RunFolder::file(const std::string& name) const { return (fs::path(path_) / name).string(); }

void RunFolder::write(const std::string& lines) const {
  struct stat status {};
  if (::fstat(*directory_, &status) == 0 && status.st_nlink == 0)
    throw RunError(path_ + ": the folder was removed while the run wrote into it");
  if (const int error = write_to_list(list_, lines); error != 0) fail(kRunListName, "cannot write", error);
}

void RunFolder::fail(const std::string& name, const char* what, int error) const {
  throw RunError(fmt::format("{}: {}: {}", file(name), what, system_reason(error)));
}

RunVisit::RunVisit(std::string folder) : path_(std::move(folder)) {
  const std::string scene = (fs::path(path_) / kRunSceneName).string();
  do {
    scene_ = open_at(AT_FDCWD, scene, O_RDONLY);
  } while (scene_ && ::flock(*scene_, LOCK_SH) == 0 && !is_still(scene_, AT_FDCWD, scene));
  try {
    for (const auto& [name, content] : read_run_record(path_).files) listed_.insert(name);
    list_ = open_at(AT_FDCWD, (fs::path(path_) / kRunListName).string(), O_WRONLY | O_APPEND);
  } catch (const UserError&) {
    // Something else has this name: pictures can be made, and there is no list for them.
  }
}

std::string RunVisit::make_folder(const std::string& name) {
  const fs::path folder = fs::path(path_) / name;
  std::error_code error;
  const bool is_new = fs::create_directory(folder, error);
  if (error) throw RunError(fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
  if (is_new) write(folder_line(name));
  return folder.string();
}

void RunVisit::add(const std::string& folder, const std::vector<std::string>& names) {
  std::error_code error;
  if (fs::is_symlink(fs::path(path_) / folder, error)) return;
  std::vector<std::string> fresh;
  for (const std::string& name : names)
    if (const std::string inside = folder + "/" + name; listed_.insert(inside).second) fresh.push_back(inside);
  write(file_lines(fresh));
}

void RunVisit::write(const std::string& lines) const {
  if (!list_ || lines.empty()) return;
  if (const int error = write_to_list(list_, lines); error != 0)
    throw RunError(fmt::format("{}: cannot write: {}", (fs::path(path_) / kRunListName).string(), system_reason(error)));
}

}  // namespace firn
