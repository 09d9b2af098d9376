#include "jobs.h"

#include <algorithm>
#include <exception>

#include "firn/error.h"

namespace firn::studio {
namespace {

constexpr std::ptrdiff_t kMostAtOnce = 3;
constexpr const char* kStopped = "stopped";

}  // namespace

Jobs::~Jobs() {
  cancel_all();
  for (auto& [number, job] : jobs_) job->thread.join();
}

void Jobs::cancel_all() {
  for (auto& [number, job] : jobs_) job->is_cancelled = true;
}

void Jobs::sweep() {
  for (auto at = jobs_.begin(); at != jobs_.end();) {
    if (at->second->is_done) {
      at->second->thread.join();
      at = jobs_.erase(at);
    } else {
      ++at;
    }
  }
}

int Jobs::start(int run, const std::string& kind, Work work, Tell tell) {
  sweep();
  if (static_cast<std::ptrdiff_t>(jobs_.size()) >= kMostAtOnce)
    throw UserError("three pictures, films or exports are at work already; wait, or cancel one");
  const int number = next_++;
  Job& job = *(jobs_[number] = std::make_unique<Job>());
  job.thread = std::thread([&job, number, run, kind, work = std::move(work), tell = std::move(tell)] {
    JobNews news;
    news.job = number;
    news.run = run;
    news.kind = kind;
    try {
      news.file = work(
          [&](double fraction, double seconds_left, const std::string& file) {
            news.fraction = fraction;
            news.seconds_left = seconds_left;
            if (!file.empty()) news.file = file;
            tell(news);
          },
          job.is_cancelled);
      if (!job.is_cancelled) news.fraction = 1;
    } catch (const std::exception& error) {
      news.error = error.what();
    }
    if (job.is_cancelled) news.error = kStopped;  // the file is what there is
    news.done = true;
    news.seconds_left = 0;
    job.is_done = true;  // first: who hears of it may start another one at once
    tell(news);
  });
  return number;
}

bool Jobs::cancel(int job) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return false;
  found->second->is_cancelled = true;
  return true;
}

}  // namespace firn::studio
