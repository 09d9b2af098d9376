#include <gtest/gtest.h>

#include "firn/error.h"
#include "io/particle_files.h"

namespace firn {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_obj_points("a.obj", text);
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

TEST(ObjPoints, VerticesAreParticlesAndTheRestIsLeftAside) {
  const Frame frame = parse_obj_points("a.obj", "# points\no cloud\nv 1 2.5 -3e-1\n\nvn 0 1 0\r\n  v\t0 0 0 1.0\r\np 1 2\nv 4 5 6");
  ASSERT_EQ(frame.size(), 3u);
  EXPECT_EQ(frame.position[0][1], 2.5);
  EXPECT_EQ(frame.position[0][2], -0.3);
  EXPECT_EQ(frame.position[2][0], 4);
}

TEST(ObjPoints, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_TRUE(error_of("v 0 0 0\nv 1 2\n").starts_with("a.obj:2:1: '': a vertex has three numbers"));
  EXPECT_TRUE(error_of("v 0 0 x\n").starts_with("a.obj:1:1: 'x': a vertex has three numbers"));
  EXPECT_TRUE(error_of("v 0 0 nan\n").starts_with("a.obj:1:1: 'nan'"));
  EXPECT_TRUE(error_of("v 0 0 1e999\n").starts_with("a.obj:1:1: '1e999'"));
  EXPECT_TRUE(error_of("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").starts_with("a.obj:4:1: the file has faces: shape = \"mesh\""));
  EXPECT_TRUE(error_of("").starts_with("a.obj: no line 'v x y z'"));
}

}  // namespace
}  // namespace firn
