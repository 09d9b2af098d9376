// Threads for what takes long and is no run: checks, frames from files, triangles. Where there are several, no owner has all of them.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace firn::studio {

class Workers {
 public:
  explicit Workers(int threads) : most_of_one_(std::max(1, threads - 1)) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  // What waits is not done any more.
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // It may not throw. Work of one owner waits for other work of that owner, not for that of others.
  void add(std::function<void()> work, int owner = 0) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back({std::move(work), owner});
    }
    changed_.notify_one();
  }

 private:
  struct Task {
    std::function<void()> work;
    int owner = 0;
  };

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      auto next = waiting_.end();
      changed_.wait(lock, [&] {
        next = std::find_if(waiting_.begin(), waiting_.end(), [&](const Task& task) { return at_work_[task.owner] < most_of_one_; });
        return ends_ || next != waiting_.end();
      });
      if (ends_) return;
      Task task = std::move(*next);
      waiting_.erase(next);
      ++at_work_[task.owner];
      lock.unlock();
      task.work();
      task.work = nullptr;  // what it holds may wait for the lock when it goes
      lock.lock();
      if (--at_work_[task.owner] == 0) at_work_.erase(task.owner);
      changed_.notify_all();
    }
  }

  const int most_of_one_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> waiting_;
  std::map<int, int> at_work_;  // by owner
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace firn::studio
