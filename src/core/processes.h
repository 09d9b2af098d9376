// Processes: what must not outlive one that a signal ends, and work done in one of its own because it may crash or hang.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "firn/cleanup.h"

namespace firn {

// What must not outlive a process that a signal ends: files that are not complete, and other programs at work for it.

// A place in a list that a signal goes through.
class AtSignal {
 public:
  AtSignal(const AtSignal&) = delete;
  AtSignal& operator=(const AtSignal&) = delete;

 protected:
  explicit AtSignal(int place) : place_(place) {}
  int place_;
};

// While this lives, a signal that ends the process removes the file.
struct RemovedAtSignal : private AtSignal {
  explicit RemovedAtSignal(const std::string& path);
  ~RemovedAtSignal();
};

// While this lives, a signal that ends this process ends the other one.
struct EndedAtSignal : private AtSignal {
  explicit EndedAtSignal(pid_t process);
  ~EndedAtSignal();
};

// Work that may crash, hang or eat all memory, done in a process of its own that hands its results back through a pipe.

struct ChildLimits {
  std::uint64_t bytes = 0;  // of memory beyond what the caller has
  int seconds = 0;          // of computing; waiting may take some times that
};

// How a child ended: by a signal (not 0), or by itself with a code.
struct ChildEnd {
  int signal = 0;
  int code = 0;

  bool out_of_time() const;
};

class ChildProcess {
 public:
  // `work` gets the descriptor to write to. It runs in a copy of this process in which no other thread exists: it may allocate memory, but
  // must not use thread pools or wait for locks that other threads hold. It has no other descriptors, prints nowhere, cannot write files,
  // and its exceptions end it with a code other than 0. Throws RunError when the system has no process to give.
  ChildProcess(const ChildLimits& limits, const std::function<void(int)>& work);
  ~ChildProcess();  // ends the child if it still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Fills all of `buffer` from what the child writes. False: the child wrote less and is done.
  bool read(void* buffer, std::size_t bytes);
  // Waits for the child's end.
  ChildEnd wait();

 private:
  pid_t process_ = -1;
  int input_ = -1;
};

// For the child: all bytes or an exception.
void write_all(int descriptor, const void* bytes, std::size_t count);

}  // namespace firn
