#include "render/shared/film.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "core/files.h"
#include "firn/error.h"

extern char** environ;

namespace firn {
namespace {

constexpr const char* kNotFound = "the program ffmpeg was not found";

// A kind of film, as ffmpeg is told to make it.
struct FilmKind {
  std::string_view ending;
  std::vector<std::string> arguments;
};

const std::vector<FilmKind>& film_kinds() {
  static const std::string even = "pad=ceil(iw/2)*2:ceil(ih/2)*2";  // yuv420p, which every player knows, wants even sizes
  static const std::vector<FilmKind> kinds{
      {".mp4", {"-vf", even, "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"}},
      {".mov", {"-vf", even, "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mov"}},
      {".webm", {"-vf", even, "-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1", "-pix_fmt", "yuv420p", "-f", "webm"}},
      // A palette for every picture: one for all of them would have to wait, with them in memory, for the last.
      {".gif", {"-vf", "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1", "-f", "gif"}}};
  return kinds;
}

const FilmKind* find_kind(const std::string& path) {
  const std::string ending = file_ending(path);
  const auto found = std::find_if(film_kinds().begin(), film_kinds().end(), [&](const FilmKind& kind) { return kind.ending == ending; });
  return found == film_kinds().end() ? nullptr : &*found;
}

// The film as ffmpeg finds it. It makes no file by name: one that it opened after we were told to end would be left behind.
constexpr int kFilmDescriptor = STDERR_FILENO + 1;
constexpr const char* kFilmName = "file:/proc/self/fd/3";

std::vector<std::string> ffmpeg_arguments(const FilmKind& kind, int width, int height, double fps) {
  std::vector<std::string> arguments{"ffmpeg",
                                     "-y",
                                     "-loglevel",
                                     "error",
                                     "-f",
                                     "rawvideo",
                                     "-pixel_format",
                                     "rgb24",
                                     "-video_size",
                                     fmt::format("{}x{}", width, height),
                                     "-framerate",
                                     fmt::format("{}", fps),
                                     "-i",
                                     "-"};
  arguments.insert(arguments.end(), kind.arguments.begin(), kind.arguments.end());
  arguments.push_back(kFilmName);
  return arguments;
}

bool has_ffmpeg() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((std::filesystem::path(folder) / "ffmpeg").c_str(), X_OK) == 0) return true;
  return false;
}

// Runs ffmpeg from the PATH with the given standard input, error output and film. Returns the system's error, 0: it runs.
int spawn_ffmpeg(std::vector<std::string> arguments, int input, int messages, int film, pid_t& process) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, film, kFilmDescriptor);
  // In a group of its own: Ctrl-C is for us, who then finish the film.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error = ::posix_spawnp(&process, "ffmpeg", &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

void check_film(const std::string& path) {
  if (find_kind(path) == nullptr) {
    std::vector<std::string_view> endings;
    for (const FilmKind& kind : film_kinds()) endings.push_back(kind.ending);
    throw UserError(fmt::format("{}: a film cannot be written to such a file, allowed: {}", path, fmt::join(endings, ", ")));
  }
  check_file_can_be_made(path);
  if (!has_ffmpeg()) throw RunError(fmt::format("{}: no film: {}", path, kNotFound));
}

Film::Film(const std::string& path, int width, int height, double fps) : path_(path) { start(width, height, fps); }

Film::~Film() {
  if (process_ >= 0) {
    ::kill(process_, SIGKILL);
    wait_for_ffmpeg();
  }
  close_input();
  if (!temporary_.empty()) std::remove(temporary_.c_str());
  if (messages_ != nullptr) std::fclose(messages_);
}

void Film::start(int width, int height, double fps) {
  const FilmKind* kind = find_kind(path_);
  // Made here and not by ffmpeg, which would write through a link.
  if (kind == nullptr || !make_temporary(path_, temporary_)) {
    failure_ = fmt::format("no film: {}: {}", path_, kind == nullptr ? "not the ending of a film" : system_reason(errno));
    temporary_.clear();
    return;
  }
  not_left_behind_.emplace(temporary_);
  messages_ = std::tmpfile();
  int ends[2];
  // A socket and not a pipe: send() can be told not to raise SIGPIPE when ffmpeg is gone.
  if (messages_ == nullptr || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    failure_ = fmt::format("no film: {}", system_reason(errno));
    return;
  }
  const int film = ::open(temporary_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  const int error =
      film < 0 ? errno : spawn_ffmpeg(ffmpeg_arguments(*kind, width, height, fps), ends[1], ::fileno(messages_), film, process_);
  if (film >= 0) ::close(film);
  ::close(ends[1]);
  input_ = ends[0];
  if (error == 0) {
    not_left_at_work_.emplace(process_);
    return;
  }
  process_ = -1;
  failure_ = fmt::format("no film: {}; the pictures are complete", error == ENOENT ? kNotFound : "ffmpeg: " + system_reason(error));
  close_input();
}

void Film::close_input() {
  if (input_ >= 0) ::close(std::exchange(input_, -1));
}

void Film::add(const Image& image) {
  std::size_t done = 0;
  while (input_ >= 0 && done < image.rgb.size()) {
    const ssize_t n = ::send(input_, image.rgb.data() + done, image.rgb.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return close_input();  // ffmpeg's own words tell why, in finish()
    done += static_cast<std::size_t>(n);
  }
}

std::string Film::last_words() const {
  std::string words(500, '\0');  // the first message is the cause, the rest its consequences
  std::rewind(messages_);
  words.resize(std::fread(words.data(), 1, words.size(), messages_));
  return words.substr(0, words.find('\n'));
}

// Returns whether it is content.
bool Film::wait_for_ffmpeg() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  not_left_at_work_.reset();
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string Film::finish() {
  close_input();
  if (process_ < 0) return failure_;
  if (!wait_for_ffmpeg())
    failure_ = fmt::format("no film: ffmpeg failed: {}", last_words());
  else if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
    failure_ = fmt::format("no film: {}: {}", path_, system_reason(errno));
  else
    temporary_.clear();
  return failure_;
}

}  // namespace firn
