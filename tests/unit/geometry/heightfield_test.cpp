// Ground from pictures and formulas.
#include "geometry/heightfield.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <map>

#include "firn/error.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace firn {
namespace {

const GroundArea kField{-1, 0, 3, 2};

using test::error_of;

template <class T>
std::string png_of(int width, int height, const std::vector<T>& pixels, int format) {
  png_image info{};
  info.version = PNG_IMAGE_VERSION;
  info.width = static_cast<png_uint_32>(width);
  info.height = static_cast<png_uint_32>(height);
  info.format = static_cast<png_uint_32>(format);
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(info);
  std::string bytes(size, '\0');
  EXPECT_TRUE(png_image_write_to_memory(&info, bytes.data(), &size, 0, pixels.data(), 0, nullptr)) << info.message;
  bytes.resize(size);
  return bytes;
}

double volume(const Mesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles) sum += dot(mesh.points[t[0]], cross(mesh.points[t[1]], mesh.points[t[2]])) / 6;
  return sum;
}

TEST(HeightMap, IsBilinearBetweenItsPointsAndLevelBeyondTheEdges) {
  HeightMap map;
  map.nx = 3;
  map.nz = 2;
  map.dx = map.dz = 0.5;
  map.heights = {0, 1, 2, 4, 5, 8};
  EXPECT_DOUBLE_EQ(map.height(0.5, 0), 1);
  EXPECT_DOUBLE_EQ(map.height(0.25, 0.25), 2.5);
  EXPECT_DOUBLE_EQ(map.height(1, 0.5), 8);
  EXPECT_DOUBLE_EQ(map.height(9, 9), 8);
  EXPECT_DOUBLE_EQ(map.height(-9, -9), 0);
}

TEST(HeightMap, OfA8BitPictureGoesFromBlackToWhite) {
  const test::TempFolder folder;
  const std::string file = folder.write("a.png", png_of<std::uint8_t>(3, 2, {0, 51, 255, 102, 153, 204}, PNG_FORMAT_GRAY));
  const HeightMap map = height_map_from_png(file, kField, -1, 4);
  ASSERT_EQ(map.nx, 3u);
  ASSERT_EQ(map.nz, 2u);
  EXPECT_DOUBLE_EQ(map.height(-1, 0), -1) << "left and top";
  EXPECT_NEAR(map.height(1, 0), 0, 1e-15);
  EXPECT_DOUBLE_EQ(map.height(3, 0), 4);
  EXPECT_DOUBLE_EQ(map.height(-1, 2), 1) << "left and bottom";
}

TEST(HeightMap, OfA16BitPictureHasFineSteps) {
  const test::TempFolder folder;
  const std::string file = folder.write("a.png", png_of<std::uint16_t>(2, 2, {0, 1, 256, 65535}, PNG_FORMAT_LINEAR_Y));
  const HeightMap map = height_map_from_png(file, kField, 0, 65535);
  const std::vector<double> expected{0, 1, 256, 65535};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(map.heights[i], expected[i], 1e-9);
}

TEST(HeightMap, PicturesThatAreNoneAreRefused) {
  const test::TempFolder folder;
  const auto error = [&](const std::string& content) {
    const std::string file = folder.write("a.png", content);
    const std::string text = error_of([&] { height_map_from_png(file, kField, 0, 1); });
    EXPECT_TRUE(text.starts_with(file + ": ")) << text;
    return text.substr(file.size() + 2);
  };
  const std::string good = png_of<std::uint8_t>(64, 64, std::vector<std::uint8_t>(64 * 64, 7), PNG_FORMAT_GRAY);
  EXPECT_EQ(error("P5 2 2 255 abcd"), "is not a PNG picture");
  EXPECT_EQ(error(""), "is not a PNG picture");
  EXPECT_EQ(error(png_of<std::uint8_t>(2, 2, std::vector<std::uint8_t>(12, 9), PNG_FORMAT_RGB)),
            "must be a grey picture, without colour or transparency");
  EXPECT_EQ(error(png_of<std::uint8_t>(1, 9, std::vector<std::uint8_t>(9, 9), PNG_FORMAT_GRAY)),
            "has 1 × 9 pixels, a height field needs at least 2 × 2");
  for (std::size_t cut = 8; cut < good.size() - 12; ++cut)
    EXPECT_TRUE(error(good.substr(0, cut)).starts_with("is a damaged PNG picture: ")) << cut;
  std::string flipped = good;
  flipped[good.size() / 2] ^= 0x10;
  EXPECT_TRUE(error(flipped).starts_with("is a damaged PNG picture: "));
  EXPECT_TRUE(error_of([] { height_map_from_png("/no/such.png", kField, 0, 1); }).starts_with("/no/such.png: cannot be opened"));
}

TEST(HeightMap, PicturesWithTooManyPixelsAreRefusedBeforeTheyAreRead) {
  const test::TempFolder folder;
  std::string huge = png_of<std::uint8_t>(2, 2, {1, 2, 3, 4}, PNG_FORMAT_GRAY);
  // Width and height in the header, with the checksum that belongs to 100000 × 100000.
  const std::string header{"IHDR\x00\x01\x86\xa0\x00\x01\x86\xa0\x08\x00\x00\x00\x00", 17};
  huge.replace(12, 17, header);
  std::uint32_t crc = 0xffffffffu;
  for (const char c : header) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
  }
  crc = ~crc;
  for (int i = 0; i < 4; ++i) huge[29 + i] = static_cast<char>(crc >> (24 - 8 * i));
  const std::string file = folder.write("a.png", huge);
  EXPECT_EQ(error_of([&] { height_map_from_png(file, kField, 0, 1); }),
            file + ": has 100000 × 100000 pixels, at most 16777216 in all are allowed");
}

TEST(Formula, KnowsItsFunctions) {
  const auto value = [](const std::string& text) { return Formula(text)(0.3, -0.7); };
  EXPECT_DOUBLE_EQ(value("0.1*sin(4*x)*cos(3*z) + 2^3 - 1/4"), 0.1 * std::sin(1.2) * std::cos(-2.1) + 7.75);
  EXPECT_DOUBLE_EQ(value("tan(x) + exp(z) + log(x) + sqrt(x) + abs(z)"),
                   std::tan(0.3) + std::exp(-0.7) + std::log(0.3) + std::sqrt(0.3) + 0.7);
  EXPECT_DOUBLE_EQ(value("min(x, z, 5) + 10 * max(x, z) + pi"), -0.7 + 3 + M_PI);
}

TEST(Formula, NoiseIsSmoothAndTheSameEveryTime) {
  Formula noise("noise(x / 0.3, z / 0.3)"), again("noise(x / 0.3, z / 0.3)");
  double least = 1, most = -1;
  for (double x = 0; x < 9; x += 0.013) {
    const double value = noise(x, 2.2);
    EXPECT_EQ(value, again(x, 2.2));
    EXPECT_NEAR(noise(x + 1e-6, 2.2), value, 1e-4);
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_LT(least, -0.3);
  EXPECT_GT(most, 0.3);
  EXPECT_GE(least, -1);
  EXPECT_LE(most, 1);
}

TEST(Formula, MistakesAreShownWithTheirPlace) {
  const auto error = [](const std::string& text) { return error_of([&] { Formula{text}; }); };
  const std::string allowed = "allowed: + - * / ^ ( ) x z pi sin cos tan exp log sqrt abs min max noise";
  EXPECT_EQ(error("1 + y"), "formula, character 5: unknown name \"y\", " + allowed);
  EXPECT_TRUE(error("2 * (x + 1").ends_with("a parenthesis is not closed")) << error("2 * (x + 1");
  EXPECT_TRUE(error("2 *").ends_with("the formula ends too early")) << error("2 *");
  EXPECT_TRUE(error("").ends_with("the formula ends too early")) << error("");
  EXPECT_TRUE(error("sin(x, z)").find("too many arguments") != std::string::npos) << error("sin(x, z)");
  EXPECT_TRUE(error("noise(x)").find("too few arguments") != std::string::npos) << error("noise(x)");
  EXPECT_TRUE(error("x x").find("character 3: unexpected") != std::string::npos) << error("x x");
  EXPECT_TRUE(error("x = 3").find("character 3: unexpected \"=\"") != std::string::npos) << error("x = 3");
  EXPECT_NE(error("x, z"), "no error");
  EXPECT_NE(error(std::string(5000, '1')), "no error");
}

TEST(Formula, ResultsThatAreNotNumbersNameThePoint) {
  EXPECT_EQ(error_of([] { height_map_from_formula("log(x)", kField, 0.5); }), "the formula is not a number at x = -1, z = 0");
  EXPECT_EQ(error_of([] { height_map_from_formula("1/x", kField, 0.5); }), "the formula is infinite at x = 0, z = 0");
}

TEST(HeightMap, OfAFormulaHasPointsNoFartherApartThanAsked) {
  const HeightMap map = height_map_from_formula("x + 10 * z", kField, 0.3);
  EXPECT_LE(map.dx, 0.3);
  EXPECT_LE(map.dz, 0.3);
  EXPECT_NEAR(map.height(0.123, 1.456), 14.683, 1e-12);
  EXPECT_NE(error_of([] { height_map_from_formula("x", kField, 1e-6); }), "no error");
}

TEST(HeightMap, CoarsenedKeepsSlopesAndMeansAndTheMapsEdges) {
  const HeightMap fine = height_map_from_formula("0.3*x + 0.1*z + 0.01*sin(900*x)", kField, 0.01), coarse = coarsened(fine, 0.1);
  EXPECT_LE(coarse.dx, 0.1);
  EXPECT_GT(coarse.dx, 0.05);
  EXPECT_DOUBLE_EQ(coarse.x1(), fine.x1());
  for (std::size_t k = 1; k + 1 < coarse.nz; ++k)
    for (std::size_t i = 1; i + 1 < coarse.nx; ++i) EXPECT_NEAR(coarse.at(i, k), 0.3 * coarse.x(i) + 0.1 * coarse.z(k), 0.004);
  EXPECT_EQ(coarsened(coarse, 0.1).heights, coarse.heights);
}

TEST(HeightMesh, IsClosedAndFacesOutwards) {
  const Mesh mesh = to_mesh(height_map_from_formula("0.1*sin(4*x)*cos(3*z)", kField, 0.1), -0.5);
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const auto& t : mesh.triangles)
    for (int i = 0; i < 3; ++i) ++edges[{t[i], t[(i + 1) % 3]}];
  for (const auto& [edge, count] : edges) {
    ASSERT_EQ(count, 1);
    ASSERT_EQ(edges.count({edge.second, edge.first}), 1u) << "once in each direction";
  }
  EXPECT_GT(volume(mesh), 0);
  for (const auto& t : mesh.triangles) {
    const auto &a = mesh.points[t[0]], &b = mesh.points[t[1]], &c = mesh.points[t[2]];
    ASSERT_GT(norm(cross(b - a, c - a)), 1e-6) << "no triangle without area";
  }
}

// Of f(x) + g(z) the two triangles of a cell have exactly the bilinear cell's volume.
TEST(HeightMesh, HoldsTheIntegralOfTheHeights) {
  const HeightMap map = height_map_from_formula("0.2*sin(4*x) + 0.1*z^2", kField, 0.07);
  double integral = 0;
  for (std::size_t k = 0; k + 1 < map.nz; ++k)
    for (std::size_t i = 0; i + 1 < map.nx; ++i)
      integral += map.dx * map.dz * ((map.at(i, k) + map.at(i + 1, k) + map.at(i, k + 1) + map.at(i + 1, k + 1)) / 4 + 0.5);
  EXPECT_NEAR(volume(to_mesh(map, -0.5)), integral, 1e-12 * integral);
}

TEST(HeightMesh, NeedsABaseBelowTheGround) {
  const HeightMap map = height_map_from_formula("x", kField, 1);
  EXPECT_EQ(error_of([&] { to_mesh(map, -0.9); }), "the base of the height field, -0.9 m, must lie below its lowest point, -1 m");
}

}  // namespace
}  // namespace firn
