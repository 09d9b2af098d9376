// Standard streams that are closed, or take nothing, and messages that quote what a file has.
#include <filesystem>

#include "process.h"

namespace firn::test {
namespace {

using Streams = SmallScene;

std::string in_quotes(const std::string& text) { return "'" + text + "'"; }

TEST_F(Streams, WhatIsPrintedToAClosedStreamNeverGoesIntoAFile) {
  ASSERT_EQ(run("seen", {"--frames", "1"}).code, 0);
  for (const std::string closed : {">&-", "<&- >&- 2>&-"}) {
    std::filesystem::remove_all(folder_.file("deaf"));
    const Outcome outcome =
        shell("exec $FIRN run " + in_quotes(scene_) + " --frames 1 -o " + in_quotes(folder_.file("deaf")) + " " + closed);
    EXPECT_EQ(outcome.code, 0) << closed;
    for (const char* name : {"/frame_0000.ply", "/frame_0001.ply", "/final.ply", "/scene.toml"})
      EXPECT_EQ(slurp(folder_.file("deaf") + name), slurp(folder_.file("seen") + name)) << closed << name;
    EXPECT_EQ(slurp(folder_.file("deaf/stats.csv")).find("done"), std::string::npos) << closed;
  }
}

TEST_F(Streams, AMistakeThatNobodyCanBeToldIsAnExitCode) {
  for (const std::string deaf : {"2>/dev/full", "2>&-", ">&- 2>&-"})
    EXPECT_EQ(shell("exec $FIRN check not_there.toml " + deaf).code, 2) << deaf;
}

TEST_F(Streams, AListThatCannotBePrintedIsAnError) {
  const Outcome outcome = shell("exec $FIRN check " + in_quotes(scene_) + " >/dev/full");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("error: standard output: cannot write: No space left on device\n"), std::string::npos) << outcome.err;
}

TEST_F(Streams, AnErrorIsOneLineOfPlainTextWhateverIsQuotedInIt) {
  const Outcome outcome = firn({"info", folder_.file("a\r\x1b[31m\nname.ply")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "error: " + folder_.file("a  [31m name.ply") + ": no such file or folder\n");
}

}  // namespace
}  // namespace firn::test
