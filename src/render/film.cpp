#include "render/film.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>
#include <vector>

extern char** environ;

namespace firn {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

std::vector<std::string> ffmpeg_arguments(const std::string& path, int width, int height, double fps) {
  return {"ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size",
          fmt::format("{}x{}", width, height), "-framerate", fmt::format("{}", fps), "-i", "-",
          // yuv420p, which every player knows, wants even sizes.
          "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f",
          "mp4", "file:" + path};
}

// Runs ffmpeg from the PATH with the given standard input and error output. Returns the system's error, 0: it runs.
int spawn_ffmpeg(std::vector<std::string> arguments, int input, int messages, pid_t& process) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
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

Film::Film(const std::string& path, int width, int height, double fps) : path_(path), temporary_(path + ".tmp") {
  start(width, height, fps);
}

Film::~Film() {
  if (process_ >= 0) finish();  // an exception is on its way: leave neither process nor half a film behind
}

void Film::start(int width, int height, double fps) {
  messages_ = std::tmpfile();
  int ends[2];
  // A socket and not a pipe: send() can be told not to raise SIGPIPE when ffmpeg is gone.
  if (messages_ == nullptr || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    failure_ = fmt::format("no film: {}", reason(errno));
    return;
  }
  const int error = spawn_ffmpeg(ffmpeg_arguments(temporary_, width, height, fps), ends[1], ::fileno(messages_), process_);
  ::close(ends[1]);
  input_ = ends[0];
  if (error == 0) return;
  process_ = -1;
  failure_ = error == ENOENT ? "no film: the program ffmpeg was not found; the pictures are complete"
                             : fmt::format("no film: ffmpeg: {}", reason(error));
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

std::string Film::finish() {
  close_input();
  if (process_ >= 0) {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!good) failure_ = fmt::format("no film: ffmpeg failed: {}", last_words());
    if (good && std::rename(temporary_.c_str(), path_.c_str()) != 0) failure_ = fmt::format("no film: {}: {}", path_, reason(errno));
    if (!failure_.empty()) std::remove(temporary_.c_str());
  }
  if (messages_ != nullptr) std::fclose(std::exchange(messages_, nullptr));
  return failure_;
}

}  // namespace firn
