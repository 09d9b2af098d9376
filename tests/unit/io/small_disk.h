// Writing that fails halfway.
#pragma once

#include <signal.h>
#include <sys/resource.h>

namespace firn::test {

// A limit on the size of files stands in for a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small{bytes, limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    signal(SIGXFSZ, handler_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  rlimit limit_{};
  void (*handler_)(int);
};

}  // namespace firn::test
