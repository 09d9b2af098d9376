// What a signal leaves behind: nothing.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "core/processes.h"
#include "support/temp_folder.h"

namespace firn {
namespace {

TEST(Cleanup, RemovesTheFilesThatAreNotCompleteAndNoOthers) {
  const test::TempFolder folder;
  const std::string half = folder.write("half.tmp", "a"), whole = folder.write("whole", "b"), late = folder.write("late.tmp", "c");
  const RemovedAtSignal file(half);
  std::optional<RemovedAtSignal> done(whole);
  done.reset();
  const RemovedAtSignal other(late);
  clean_up_at_signal();
  EXPECT_FALSE(std::filesystem::exists(half));
  EXPECT_FALSE(std::filesystem::exists(late));
  EXPECT_TRUE(std::filesystem::exists(whole));
}

TEST(Cleanup, ForgetsWhatItHasNoRoomFor) {
  const test::TempFolder folder;
  std::vector<std::unique_ptr<RemovedAtSignal>> many;
  for (int i = 0; i < 200; ++i) many.push_back(std::make_unique<RemovedAtSignal>(folder.file(std::to_string(i))));
  many.clear();
  const std::string half = folder.write("half.tmp", "a");
  const RemovedAtSignal file(half);
  clean_up_at_signal();
  EXPECT_FALSE(std::filesystem::exists(half)) << "there is room again";
}

TEST(Cleanup, EndsTheProgramsThatWereStarted) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const EndedAtSignal helper(child);
  clean_up_at_signal();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

}  // namespace
}  // namespace firn
