#include "interrupt.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "firn/cleanup.h"

namespace {

enum Manner { kAtOnce, kInHaste, kTidily };

constexpr int kHasteMilliseconds = 350;

// Shared with the signal handler, which may touch nothing else.
volatile sig_atomic_t g_signal = 0;  // that came
volatile sig_atomic_t g_manner = kAtOnce;
volatile pid_t g_process = 0;  // a child that has not yet put the handler away must not clean up after its parent

[[noreturn]] void end(int number) {
  if (::getpid() != g_process) ::_exit(128 + number);
  firn::clean_up_at_signal();
  constexpr char kWords[] = "interrupted\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWords, sizeof(kWords) - 1);
  ::_exit(128 + number);
}

void handle(int number) {
  if (g_manner == kAtOnce || g_signal != 0) end(number);
  g_signal = number;
  if (g_manner != kInHaste) return;
  const itimerval haste{{0, 0}, {0, kHasteMilliseconds * 1000L}};
  ::setitimer(ITIMER_REAL, &haste, nullptr);
}

// A tidy end has taken too long.
void handle_alarm(int) {
  if (g_signal != 0) end(g_signal);
}

void catch_signal(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigfillset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

}  // namespace

void catch_interrupts() {
  g_process = ::getpid();
  catch_signal(SIGINT, handle);
  catch_signal(SIGTERM, handle);
  catch_signal(SIGALRM, handle_alarm);
}

bool interrupted() {
  g_manner = kTidily;
  return g_signal != 0;
}

bool interrupted_in_haste() {
  g_manner = kInHaste;
  return g_signal != 0;
}

void end_at_once() {
  g_manner = kAtOnce;
  if (g_signal != 0) end(g_signal);
}

int interrupted_code() { return 128 + g_signal; }
