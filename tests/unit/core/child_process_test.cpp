#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "core/processes.h"
#include "support/temp_folder.h"

namespace firn {
namespace {

constexpr ChildLimits kLimits{std::uint64_t{64} << 20, 2};

// Allocates until the system refuses.
void eat_memory() {
  for (;;)
    if (void* block = std::malloc(std::size_t{1} << 20)) {
      *static_cast<volatile char*>(block) = 1;
    } else {
      throw std::bad_alloc();
    }
}

TEST(ChildProcess, HandsItsBytesBack) {
  ChildProcess child(kLimits, [](int output) {
    for (int i = 0; i < 100'000; ++i) write_all(output, &i, sizeof i);
  });
  for (int i = 0, value = -1; i < 100'000; ++i) {
    ASSERT_TRUE(child.read(&value, sizeof value));
    ASSERT_EQ(value, i);
  }
  char more;
  EXPECT_FALSE(child.read(&more, 1));
  const ChildEnd end = child.wait();
  EXPECT_EQ(end.signal, 0);
  EXPECT_EQ(end.code, 0);
}

TEST(ChildProcess, ThatCrashesIsReportedWithItsSignal) {
  EXPECT_EQ(ChildProcess(kLimits, [](int) { ::raise(SIGSEGV); }).wait().signal, SIGSEGV);
  EXPECT_EQ(ChildProcess(kLimits, [](int) { ::raise(SIGFPE); }).wait().signal, SIGFPE);
}

TEST(ChildProcess, ThatThrowsIsReportedWithACode) {
  EXPECT_NE(ChildProcess(kLimits, [](int) { throw std::runtime_error("x"); }).wait().code, 0);
}

TEST(ChildProcess, ThatComputesOrWaitsForeverIsStopped) {
  ChildProcess waits({kLimits.bytes, 1}, [](int) {
    for (;;) ::pause();
  });
  ChildProcess computes({kLimits.bytes, 1}, [](int) {
    for (volatile int i = 0;;) i = i + 1;
  });
  EXPECT_TRUE(computes.wait().out_of_time());
  EXPECT_TRUE(waits.wait().out_of_time());
}

#ifndef __SANITIZE_ADDRESS__  // which takes its memory out of terabytes it has reserved
TEST(ChildProcess, ThatEatsMemoryIsStopped) {
  EXPECT_NE(ChildProcess(kLimits, [](int) { eat_memory(); }).wait().code, 0);
}
#endif

TEST(ChildProcess, IsEndedWithItsOwner) {
  const auto start = std::chrono::steady_clock::now();
  {
    ChildProcess child({kLimits.bytes, 60}, [](int output) {
      for (const char byte = 0;;) write_all(output, &byte, 1);
    });
    char byte;
    EXPECT_TRUE(child.read(&byte, 1));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(ChildProcess, HasNoneOfTheCallersDescriptors) {
  const int mine = ::open("/dev/null", O_RDONLY);
  ChildProcess child(kLimits, [mine](int output) {
    const int flags = mine == output ? -1 : ::fcntl(mine, F_GETFD);
    write_all(output, &flags, sizeof flags);
  });
  int flags = 0;
  EXPECT_TRUE(child.read(&flags, sizeof flags));
  EXPECT_EQ(flags, -1);
  ::close(mine);
}

TEST(ChildProcess, WritesNoFiles) {
  const test::TempFolder folder;
  const std::string path = folder / "file";
  EXPECT_EQ(ChildProcess(kLimits,
                         [&path](int) {
                           const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
                           write_all(file, "x", 1);
                         })
                .wait()
                .signal,
            SIGXFSZ);
}

}  // namespace
}  // namespace firn
