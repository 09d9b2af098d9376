#include "interrupt.h"

#include <signal.h>

namespace {

// Set by the signal handler, which may touch nothing else.
volatile sig_atomic_t g_interrupted = 0;

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { g_interrupted = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return g_interrupted != 0; }
