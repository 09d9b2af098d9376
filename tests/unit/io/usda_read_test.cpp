#include <gtest/gtest.h>

#include <random>

#include "firn/error.h"
#include "frames.h"
#include "io/particle_files.h"
#include "temp_folder.h"

namespace firn {
namespace {

using test::expect_same;
using test::make_frame;
using test::read_bytes;
using test::TempFolder;

// A file with one Points prim of this content.
std::string points(const std::string& content) { return "#usda 1.0\ndef Points \"p\"\n{\n" + content + "\n}\n"; }

TEST(UsdaRead, PointsOfOtherProgramsAreEnough) {
  const Frame read = parse_usda("a.usda", R"(#usda 1.0
(
    defaultPrim = "World"
    customLayerData = { string note = "a } in a text" dictionary deep = { int[] x = [1, 2] } }
    subLayers = [ @./lights.usda@ (offset = 1; scale = 2) ]
)
# a comment with a { in it
def Xform "World" (
    prepend references = @@@odd@name.usda@@@</A{v=x}B>
    variants = { string look = "a" }
    prepend variantSets = "look"
)
{
    matrix4d xformOp:transform = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )
    uniform token[] xformOpOrder = ["xformOp:transform"]
    reorder nameChildren = ["drops", "other"]
    variantSet "look" = {
        "a" ( doc = 'one' ) { over "drops" { float[] widths = [9] } }
        'b' { }
    }
    over Points "ignored" { point3f[] points = [(9, 9, 9)] }
    def Points "drops" ( kind = "component" ) {
        /* { ( [ */ // and ]
        custom string doc = """three
        lines with " and } in them \""" still"""
        double radius.spline = { bezier, 1: 10; pre (0, 0); post curve (0, 0), }
        rel material:binding = </World/Look.out[/x]> ( bindMaterialAs = "weakerThanDescendants" )
        prepend rel targets = [</a>, </b>]
        color3f[] primvars:displayColor = [(1, 0, 0)] ( interpolation = "constant" )
        point3f[] points = [
            (1, 2.5, -3e-1),   # the first
            (.5, 5., 1e2),
        ]
        vector3f[] velocities = [(0, 0, 1), (0, 0, 2)]
        int64[] ids = [8, 3]; half[] widths = [1, 2] ( interpolation = "vertex" )
        asset file.timeSamples = { 1: @./a[b@, 2: None }
        float inputs:x.connect = </World/Look.y>
    }
    def Points "second" { point3f[] points = [] }
}
)");
  EXPECT_EQ(read.id, (std::vector<std::uint32_t>{8, 3}));
  const float tenth3 = -3e-1f;
  EXPECT_EQ(read.position, (std::vector<std::array<double, 3>>{{1, 2.5, tenth3}, {0.5, 5, 100}}));
  EXPECT_EQ(read.velocity, (std::vector<std::array<double, 3>>{{0, 0, 1}, {0, 0, 2}}));
  EXPECT_TRUE(read.mass.empty());
  EXPECT_FALSE(read.double_precision);
}

TEST(UsdaRead, TheFirstSampleCountsAndMoreThanTheDefault) {
  for (const char* text :
       {"point3f[] points.timeSamples = { 1: [(1, 1, 1)], 2: [(2, 2, 2), (3, 3, 3)] }\npoint3f[] points = [(4, 4, 4), (5, 5, 5)]",
        "point3f[] points = [(4, 4, 4), (5, 5, 5)]\npoint3f[] points.timeSamples = { 1: [(1, 1, 1)], 2: [] }"})
    EXPECT_EQ(parse_usda("a", points(text)).position, (std::vector<std::array<double, 3>>{{1, 1, 1}}));
}

TEST(UsdaRead, AttributesWithoutAValueAreNotThere) {
  const Frame read =
      parse_usda("a", points("point3d[] points = [(1, 2, 3)]\nfloat[] primvars:mass\nfloat[] primvars:jp = None\n"
                             "float[] primvars:je.timeSamples = { }\nfloat[] primvars:volume.timeSamples = { 1: None, 2: [3] }"));
  EXPECT_TRUE(read.mass.empty() && read.jp.empty() && read.je.empty() && read.volume.empty());
  EXPECT_TRUE(read.double_precision);
}

struct Malformed {
  const char* name;
  std::string text;
  const char* message;  // what the error has to say
};

class MalformedUsda : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedUsda, IsAUserErrorThatNamesFileAndFault) {
  try {
    parse_usda("bad.usda", GetParam().text);
    FAIL() << "was accepted";
  } catch (const UserError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.rfind("bad.usda: ", 0), 0u) << what;
    EXPECT_NE(what.find(GetParam().message), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  }
}

const std::string kOne = "point3f[] points = [(1, 2, 3)]\n";

const Malformed kFaults[] = {
    {"Empty", "", "does not start with '#usda'"},
    {"Binary", "PXR-USDC", "does not start with '#usda'"},
    {"NoPrim", "#usda 1.0\n", "no Points prim"},
    {"OnlyOverPrim", "#usda 1.0\nover Points \"a\" { }", "no Points prim"},
    {"NoPoints", points(""), "at line 2, byte 10: the Points prim has no points"},
    {"BlockedPoints", points("point3f[] points = None"), "has no points"},
    {"OpenBrace", "#usda 1.0\ndef Points \"p\" {\n" + kOne, "1 braces are still open"},
    {"BraceTooMany", points(kOne) + "}", "a '}' too many"},
    {"WrongBracket", points("int[] x = [1, 2)"), "at line 4, byte 42: ')' where ']' should be"},
    {"OpenBracket", points("int[] x = [1, 2"), "']' should be"},
    {"OpenText", points("string x = \"no end\n"), "without its closing quote"},
    {"OpenLongText", points("string x = '''no end ''\n"), "without its closing quote"},
    {"OpenAssetPath", points("asset x = @no end\n"), "without its closing @"},
    {"OpenLongAssetPath", points("asset x = @@@no \\@@@ end\n"), "without its closing @@@"},
    {"OpenPath", points("rel x = </a\n"), "'<' without its '>'"},
    {"OpenComment", points(kOne) + "/*/", "'/*' without its '*/'"},
    {"NoName", points("float = 3"), "'=' where a name should follow 'float'"},
    {"NoValue", points("float x ="), "'}' where a value should be"},
    {"NoPrimName", "#usda 1.0\ndef Points { }", "'{' where a name in quotes should be"},
    {"Garbage", points("%&"), "'%' where a statement should be"},
    {"NotANumber", points("point3f[] points = [(1, x, 3)]"), "'x' where a number should be"},
    {"NumberWithTail", points("point3f[] points = [(1, 2x, 3)]"), "'x' where ',' should be"},
    {"TwoComponents", points("point3f[] points = [(1, 2)]"), "')' where ',' should be"},
    {"NoTuples", points("point3f[] points = [1, 2, 3]"), "'1' where '(' should be"},
    {"NotAnArray", points("point3f points = (1, 2, 3)"), "points is of type point3f, allowed: point3f[]"},
    {"WrongType", points(kOne + "token[] primvars:mass = [\"a\"]"), "primvars:mass is of type token[], allowed: float[], double[]"},
    {"RealIds", points(kOne + "float[] ids = [1]"), "ids is of type float[], allowed: int[], int64[]"},
    {"Twice", points(kOne + kOne), "at line 5, byte 58: a second points"},
    {"Infinite", points("point3f[] points = [(1, 1e39, 3)]"), "points: y is inf, it must be finite"},
    {"NotFinite", points("point3f[] points = [(1, 2, nan)]"), "points: z is nan, it must be finite"},
    {"NegativeMass", points(kOne + "float[] primvars:mass = [-1]"), "primvars:mass: mass is -1, it must be greater than 0"},
    {"NegativeId", points(kOne + "int64[] ids = [-1]"), "id is -1, it must be a whole number from 0 to 4294967295"},
    {"HugeId", points(kOne + "int64[] ids = [99999999999999999999]"), "99999999999999999999 is out of range"},
    {"TooManyMasses", points(kOne + "float[] primvars:mass = [1, 2]"), "primvars:mass is for 2 points, but points for 1"},
    {"NoVelocities", points("vector3f[] velocities = []\n" + kOne), "velocities is for 0 points, but points for 1"},
    {"ExactAndSchemaDiffer", points(kOne + "point3d[] primvars:position = []"), "points is for 1 points, but primvars:position for 0"},
    {"HalfAMatrix", points(kOne + "float[] primvars:fe = [1, 2]"), "primvars:fe has 2 numbers, it must have 9 for every point"},
    {"Indices", points(kOne + "float[] primvars:mass = [1]\nint[] primvars:mass:indices = [0]"), "primvars with indices cannot be read"},
    {"TwoStiffnesses", points(kOne + "float[] primvars:stiffness = [1]\nfloat[] primvars:young_modulus = [1]"), "exclude each other"},
};
INSTANTIATE_TEST_SUITE_P(Faults, MalformedUsda, ::testing::ValuesIn(kFaults), [](const auto& info) { return info.param.name; });

std::string small_file(Frame& frame) {
  const TempFolder folder;
  frame = make_frame(2, true);
  frame.double_precision = true;
  write_usda(folder / "a.usda", frame, {});
  return read_bytes(folder / "a.usda");
}

TEST(UsdaRead, AFileCutAnywhereIsRefused) {
  Frame frame;
  const std::string bytes = small_file(frame);
  for (std::size_t size = 0; size + 1 < bytes.size(); ++size) EXPECT_THROW(parse_usda("cut", bytes.substr(0, size)), UserError) << size;
  expect_same(parse_usda("whole", bytes.substr(0, bytes.size() - 1)), frame);  // the last line end
}

TEST(UsdaRead, ChangedBytesAreReadOrRefused) {
  Frame frame;
  const std::string bytes = small_file(frame);
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string changed = bytes;
    for (int k = 0; k < 3; ++k) changed[random() % changed.size()] = "()[]{}<>@\"'#/,;=:0-eN\\\n"[random() % 23];
    try {
      check_readable("changed", parse_usda("changed", changed));
    } catch (const UserError&) {
    }
  }
}

TEST(UsdaRead, NestingAMillionDeepIsNoTrouble) {
  constexpr std::size_t kDeep = 1000000;
  std::string prims = "#usda 1.0\n";
  for (std::size_t i = 0; i < kDeep; ++i) prims += "def \"a\"{";
  EXPECT_THROW(parse_usda("deep", prims), UserError);
  EXPECT_THROW(parse_usda("deep", points("int x = " + std::string(kDeep, '['))), UserError);
  EXPECT_THROW(parse_usda("deep", points("int x = " + std::string(kDeep, '[') + std::string(kDeep, ']'))), UserError);
}

}  // namespace
}  // namespace firn
