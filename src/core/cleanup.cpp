#include "core/cleanup.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

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

RemovedAtSignal::RemovedAtSignal(const std::string& path) : place_(kNowhere) {
  char* name = ::strdup(path.c_str());
  place_ = name != nullptr ? keep(files, name) : kNowhere;
  if (place_ == kNowhere) std::free(name);
}
RemovedAtSignal::~RemovedAtSignal() { std::free(take(files, place_)); }

EndedAtSignal::EndedAtSignal(pid_t process) : place_(keep(processes, process)) {}
EndedAtSignal::~EndedAtSignal() { take(processes, place_); }

void clean_up_at_signal() noexcept {
  for (int place = 0; place < kMost; ++place)
    if (const pid_t process = take(processes, place); process > 0) ::kill(process, SIGKILL);
  for (int place = 0; place < kMost; ++place)
    if (const char* name = take(files, place); name != nullptr) ::unlink(name);
}

}  // namespace firn
