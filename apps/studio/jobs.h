// Pictures, films and exports: each on a thread of its own, few at a time.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

namespace firn::studio {

struct JobNews {
  int job = 0, run = 0;
  std::string kind;
  double fraction = 0, seconds_left = -1;
  std::string file;  // whole path; empty: not yet
  bool done = false;
  std::string error;
};

class Jobs {
 public:
  using Tell = std::function<void(const JobNews&)>;
  // Does the work, tells of it as it goes, and gives the path of what was made. May throw; stops soon once `is_cancelled` is true.
  using Work = std::function<std::string(const std::function<void(double fraction, double seconds_left, const std::string& file)>& progress,
                                         const std::atomic<bool>& is_cancelled)>;

  Jobs() = default;
  // Cancels all and waits for them.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Its number. Throws UserError when too many are at work. `tell` is called on the job's thread.
  int start(int run, const std::string& kind, Work work, Tell tell);
  // False: there is no such job.
  bool cancel(int job);
  void cancel_all();

 private:
  struct Job {
    std::thread thread;
    std::atomic<bool> is_cancelled{false}, is_done{false};
  };
  void sweep();

  std::map<int, std::unique_ptr<Job>> jobs_;
  int next_ = 1;
};

}  // namespace firn::studio
