// What must not outlive a process that a signal ends: files that are not complete, and other programs at work for it.
#pragma once

#include <sys/types.h>

#include <string>

#include "firn/cleanup.h"

namespace firn {

// While this lives, a signal that ends the process removes the file.
class RemovedAtSignal {
 public:
  explicit RemovedAtSignal(const std::string& path);
  ~RemovedAtSignal();
  RemovedAtSignal(const RemovedAtSignal&) = delete;
  RemovedAtSignal& operator=(const RemovedAtSignal&) = delete;

 private:
  int place_;
};

// While this lives, a signal that ends this process ends the other one.
class EndedAtSignal {
 public:
  explicit EndedAtSignal(pid_t process);
  ~EndedAtSignal();
  EndedAtSignal(const EndedAtSignal&) = delete;
  EndedAtSignal& operator=(const EndedAtSignal&) = delete;

 private:
  int place_;
};

}  // namespace firn
