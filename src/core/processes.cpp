#include "core/processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "firn/error.h"

namespace firn {
namespace {

constexpr int kMost = 64;  // files at a time, and processes; more are forgotten, which only shows when a signal comes
constexpr int kNowhere = -1;

// A signal handler can be handed nothing: what it is to do must lie where it finds it, and it may only read and write atomics.
std::array<std::atomic<char*>, kMost> files{};
std::array<std::atomic<pid_t>, kMost> processes{};

template <class T>
int keep(std::array<std::atomic<T>, kMost>& list, T value) {
  for (int place = 0; place < kMost; ++place) {
    T none{};
    if (list[static_cast<std::size_t>(place)].compare_exchange_strong(none, value)) return place;
  }
  return kNowhere;
}

// Whoever takes a value out has it alone.
template <class T>
T take(std::array<std::atomic<T>, kMost>& list, int place) {
  return place == kNowhere ? T{} : list[static_cast<std::size_t>(place)].exchange(T{});
}

}  // namespace

RemovedAtSignal::RemovedAtSignal(const std::string& path) : AtSignal(kNowhere) {
  char* name = ::strdup(path.c_str());
  place_ = name != nullptr ? keep(files, name) : kNowhere;
  if (place_ == kNowhere) std::free(name);
}
RemovedAtSignal::~RemovedAtSignal() { std::free(take(files, place_)); }

EndedAtSignal::EndedAtSignal(pid_t process) : AtSignal(keep(processes, process)) {}
EndedAtSignal::~EndedAtSignal() { take(processes, place_); }

void clean_up_at_signal() noexcept {
  for (int place = 0; place < kMost; ++place)
    if (const pid_t process = take(processes, place); process > 0) ::kill(process, SIGKILL);
  for (int place = 0; place < kMost; ++place)
    if (const char* name = take(files, place); name != nullptr) ::unlink(name);
}

namespace {

constexpr int kOutput = STDERR_FILENO + 1;   // the child's only open descriptor beside the three silent ones
constexpr int kPipeBytes = 1 << 20;          // the default of 64 KiB makes both sides wait for each other more often
constexpr unsigned kMostWaiting = 4;         // wall clock over computing time, for slow disks and busy machines
constexpr int kFailed = 1, kNotStarted = 2;  // exit codes

[[noreturn]] void fail(const char* what, int error) { throw RunError(fmt::format("{}: {}", what, std::generic_category().message(error))); }

// The address space this process has now; sanitizers reserve terabytes of it.
std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// At the hard limit of computing time the system kills; one second earlier, it says why.
void limit(int resource, std::uint64_t value) {
  const rlimit limits{value, resource == RLIMIT_CPU ? value + 1 : value};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limits);
}

// Handlers of the caller must not run in the child. An interrupt from the keyboard is for the caller to act on: it ends the child if it
// wants to.
void reset_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  ::signal(SIGINT, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Descriptors of the caller, and of other children's pipes, must not stay open here.
bool keep_only(int output) {
  const int high = ::fcntl(output, F_DUPFD, kOutput);
  const int silence = ::open("/dev/null", O_RDWR);
  if (high < 0 || silence < 0) return false;
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(silence, standard);
  if (high != kOutput && ::dup2(high, kOutput) < 0) return false;
  return ::close_range(kOutput + 1, UINT_MAX, 0) == 0;
}

[[noreturn]] void be_child(const ChildLimits& limits, std::uint64_t space, int output, const std::function<void(int)>& work) {
  reset_signals();
  if (!keep_only(output)) ::_exit(kNotStarted);
  ::prctl(PR_SET_DUMPABLE, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_AS, space + limits.bytes);
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(limits.seconds));
  ::alarm(static_cast<unsigned>(limits.seconds) * kMostWaiting);
  try {
    work(kOutput);
  } catch (...) {
    ::_exit(kFailed);
  }
  ::_exit(0);  // no destructors of static objects: they belong to the caller
}

}  // namespace

bool ChildEnd::out_of_time() const { return signal == SIGXCPU || signal == SIGALRM; }

ChildProcess::ChildProcess(const ChildLimits& limits, const std::function<void(int)>& work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("no pipe", errno);
  ::fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);
  const std::uint64_t space = address_space();
  const pid_t caller = ::getpid();
  process_ = ::fork();
  if (process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != caller) ::_exit(kNotStarted);  // the caller ended before the line above
    be_child(limits, space, ends[1], work);
  }
  const int error = errno;
  ::close(ends[1]);
  input_ = ends[0];
  if (process_ > 0) return;
  ::close(input_);
  fail("no process", error);
}

ChildProcess::~ChildProcess() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    wait();
  }
  ::close(input_);
}

bool ChildProcess::read(void* buffer, std::size_t bytes) {
  char* at = static_cast<char*>(buffer);
  while (bytes > 0) {
    const ssize_t n = ::read(input_, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("reading from a child process", errno);
    if (n == 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

ChildEnd ChildProcess::wait() {
  int status = 0;
  pid_t ended;
  while ((ended = ::waitpid(process_, &status, 0)) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (ended < 0) return {0, kFailed};  // somebody else has collected it
  return WIFSIGNALED(status) ? ChildEnd{WTERMSIG(status), 0} : ChildEnd{0, WEXITSTATUS(status)};
}

void write_all(int descriptor, const void* bytes, std::size_t count) {
  const char* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t n = ::write(descriptor, at, count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("writing from a child process", errno);
    at += n;
    count -= static_cast<std::size_t>(n);
  }
}

}  // namespace firn
