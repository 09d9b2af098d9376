// Runs the real program and reads what it printed.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/random_snow.h"

namespace firn::test {

struct Outcome {
  int code = -1;
  std::string out, err;
  double megabytes = 0;  // largest resident size
  double seconds = 0;    // of computing, on all threads together: what a busy machine does not change
};

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
inline void spill(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments, const std::string& program = FIRN_PROGRAM) {
    pid_ = fork();
    if (pid_ == 0) become(program, arguments);
  }

  pid_t pid() const { return pid_; }

  bool ended() const {
    siginfo_t of{};
    return waitid(P_PID, static_cast<id_t>(pid_), &of, WEXITED | WNOHANG | WNOWAIT) == 0 && of.si_pid == pid_;
  }

  Outcome wait() {
    int status = 0;
    struct rusage usage {};
    wait4(pid_, &status, 0, &usage);
    Outcome outcome;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = slurp(folder_.file("out"));
    outcome.err = slurp(folder_.file("err"));
    outcome.megabytes = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;  // the kernel counts in KiB
    outcome.seconds = static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
    return outcome;
  }

 private:
  void become(const std::string& program, const std::vector<std::string>& arguments) {
    const auto redirect = [&](const char* name, int to) {
      const int from = open(folder_.file(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      dup2(from, to);
    };
    redirect("out", STDOUT_FILENO);
    redirect("err", STDERR_FILENO);
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    _exit(127);
  }

  TempFolder folder_;
  pid_t pid_;
};

inline Outcome firn(const std::vector<std::string>& arguments) { return Process(arguments).wait(); }

// A line of shell; $FIRN is the program.
inline Outcome shell(const std::string& line) {
  return Process({"-c", std::string("FIRN='") + FIRN_PROGRAM + "'; " + line}, "/bin/sh").wait();
}

// A quick scene; lines count from 1.
inline std::string small_scene() {
  return R"([simulation]
spacing = 0.025
duration = 0.1
fps = 24

[solver]
time_step = 2e-4

[materials.packed]
density = 400

[[snow]]
shape = "sphere"
center = [0, 0.12, 0]
radius = 0.1
velocity = [0.5, -3, 0]
material = "packed"

[[collider]]
shape = "plane"
point = [0, 0, 0]
normal = [0, 1, 0]
friction = 0.3
)";
}

// The same in 2D.
inline std::string flat_scene() {
  return R"([simulation]
dimension = 2
spacing = 0.02
duration = 0.1
fps = 24

[solver]
time_step = 2e-4

[[snow]]
shape = "sphere"
center = [0, 0.12]
radius = 0.1
velocity = [0.5, -3]

[[collider]]
shape = "plane"
point = [0, 0]
normal = [0, 1]
friction = 0.3
)";
}

// A folder with the small scene in it, to be run with more arguments.
class SmallScene : public testing::Test {
 protected:
  SmallScene() { spill(scene_, small_scene()); }

  Outcome run(const std::string& dir, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"run", scene_, "-o", folder_.file(dir)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return firn(arguments);
  }

  TempFolder folder_;
  std::string scene_ = folder_.file("small.toml");
};

}  // namespace firn::test
