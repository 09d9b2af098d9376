#include "geometry/repair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "geometry/mesh.h"
#include "support/meshes.h"

namespace firn {
namespace {

using test::cube;
using test::dome;
using test::joined;
using test::moved;
using test::soup;

constexpr double kPi = std::numbers::pi;

std::size_t open_edges(const Mesh& mesh) {
  std::size_t open = 0;
  const std::vector<EdgeUse> uses = sorted_edge_uses(mesh);
  for_each_edge(uses, [&](std::span<const EdgeUse> edge) { open += edge.size() % 2; });
  return open;
}

std::string all_warnings(const MeshReport& report) {
  std::string text;
  for (const std::string& line : warnings(report)) text += line + ";";
  return text;
}

TEST(Repair, LeavesASoundMeshAsItIs) {
  MeshReport report;
  const Mesh mesh = repair(cube(), report);
  EXPECT_EQ(mesh.triangles, cube().triangles);
  EXPECT_EQ(mesh.points.size(), 8u);
  EXPECT_EQ(report.edges, 18u);
  EXPECT_EQ(report.open_edges, 0u);
  EXPECT_NEAR(report.volume, 1, 1e-12);
  EXPECT_NEAR(report.area, 6, 1e-12);
  EXPECT_TRUE(warnings(report).empty());
}

TEST(Repair, WeldsASoupToItsPoints) {
  MeshReport report;
  const Mesh mesh = repair(soup(cube()), report);
  EXPECT_EQ(mesh.points.size(), 8u);
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_EQ(report.welded_points, 28u);
  EXPECT_TRUE(warnings(report).empty());
}

TEST(Repair, WeldsPointsThatRoundingHasParted) {
  for (const Vec<double, 3>& place : {Vec<double, 3>{0, 0, 0}, Vec<double, 3>{-5e5, 3e5, 1e5}}) {
    Mesh loose = soup(moved(dome(30, kPi * 0.9), place));
    std::mt19937 random(1);
    std::uniform_real_distribution<double> jitter(-4e-7, 4e-7);
    for (auto& point : loose.points) point += Vec<double, 3>{jitter(random), jitter(random), jitter(random)};
    MeshReport report;
    EXPECT_EQ(clean(loose, report).points.size(), dome(30, kPi * 0.9).points.size());
  }
}

TEST(Repair, KeepsPointsThatAreApart) {
  Mesh fine = dome(40, 2.0);
  MeshReport report;
  EXPECT_EQ(clean(fine, report).points.size(), fine.points.size());
  EXPECT_EQ(report.welded_points, 0u);
}

TEST(Repair, LeavesOutTrianglesWithoutAreaDuplicatesAndUnusedPoints) {
  Mesh mesh = cube();
  mesh.points.push_back({0.5, 0, 0});
  mesh.points.push_back({9, 9, 9});
  mesh.triangles.push_back({0, 8, 1});
  mesh.triangles.push_back({3, 3, 4});
  const Triangle first = mesh.triangles.front();
  mesh.triangles.push_back({first[1], first[2], first[0]});
  MeshReport report;
  mesh = repair(mesh, report);
  EXPECT_EQ(mesh.points.size(), 8u);
  EXPECT_EQ(mesh.triangles, cube().triangles);
  EXPECT_EQ(report.flat_triangles, 2u);
  EXPECT_EQ(report.duplicate_triangles, 1u);
  EXPECT_EQ(all_warnings(report), "2 triangles without area: left out;1 triangles twice: left out;");
}

TEST(Repair, ClosesTheHoleOfAHemisphere) {
  MeshReport report;
  const Mesh mesh = repair(soup(dome(100, kPi / 2)), report);
  EXPECT_EQ(report.open_edges, 100u);
  EXPECT_EQ(report.holes, 1u);
  EXPECT_EQ(open_edges(mesh), 0u);
  EXPECT_NEAR(report.volume, 2 * kPi / 3, 2e-3);
  EXPECT_NEAR(report.area, 3 * kPi, 5e-3);
  EXPECT_EQ(all_warnings(report), "100 open edges in 1 holes: closed;");
}

TEST(Repair, ClosesEveryHole) {
  Mesh mesh = dome(24, kPi / 2);
  mesh.triangles.erase(mesh.triangles.begin());  // at the pole
  mesh.triangles.erase(mesh.triangles.begin() + 24 * 20);
  MeshReport report;
  mesh = repair(mesh, report);
  EXPECT_EQ(report.open_edges, 24u + 3u + 3u);
  EXPECT_EQ(report.holes, 3u);
  EXPECT_EQ(open_edges(mesh), 0u);
  MeshReport sound;
  repair(dome(24, kPi / 2), sound);
  EXPECT_NEAR(report.volume, sound.volume, 1e-12);
}

TEST(Repair, ClosesHolesThatTouchAtAPoint) {
  Mesh mesh = cube();
  std::erase_if(mesh.triangles, [](const Triangle& t) { return t == Triangle{0, 2, 3} || t == Triangle{0, 1, 5}; });
  ASSERT_EQ(mesh.triangles.size(), 10u);
  MeshReport report;
  mesh = repair(mesh, report);
  EXPECT_EQ(report.holes, 2u);
  EXPECT_EQ(open_edges(mesh), 0u);
  EXPECT_NEAR(report.volume, 1, 1e-12);
}

TEST(Repair, TurnsASurfaceThatIsInsideOut) {
  Mesh mesh = cube();
  turn_all(mesh);
  MeshReport report;
  mesh = repair(mesh, report);
  EXPECT_NEAR(signed_volume(mesh), 1, 1e-12);
  EXPECT_EQ(report.turned_triangles, 0u);
  EXPECT_EQ(all_warnings(report), "the surface was inside out: turned;");
}

TEST(Repair, TurnsTrianglesThatFaceAnotherWayThanTheirNeighbours) {
  Mesh mesh = dome(30, 2.5);
  std::mt19937 random(3);
  std::size_t wrong = 0;
  for (Triangle& t : mesh.triangles)
    if (random() % 4 == 0) t = turned(t), ++wrong;
  MeshReport report;
  mesh = repair(mesh, report);
  EXPECT_EQ(report.turned_triangles, wrong);
  MeshReport sound;
  repair(dome(30, 2.5), sound);
  EXPECT_NEAR(report.volume, sound.volume, 1e-12);
}

TEST(Repair, KeepsCavitiesAndBodiesThatTouch) {
  Mesh cavity = cube();
  for (auto& point : cavity.points) point = 0.5 * point;
  turn_all(cavity);
  MeshReport hollow;
  repair(joined(cube(), moved(cavity, {0.25, 0.25, 0.25})), hollow);
  EXPECT_NEAR(hollow.volume, 1 - 0.125, 1e-12);
  MeshReport pair;
  const Mesh mesh = repair(joined(cube(), moved(cube(), {1, 0, 0})), pair);
  EXPECT_NEAR(pair.volume, 2, 1e-12);
  EXPECT_EQ(mesh.triangles.size(), 24u);
  EXPECT_EQ(pair.open_edges, 0u);
}

TEST(Repair, TellsAStripWithoutSides) {
  Mesh strip;  // Moebius': twelve quadrangles around a circle, turned by half a turn on the way
  constexpr std::uint32_t kParts = 12;
  for (std::uint32_t i = 0; i < kParts; ++i) {
    const double around = 2 * kPi * i / kParts, twist = around / 2;
    for (const double side : {-0.2, 0.2}) {
      const double r = 1 + side * std::cos(twist);
      strip.points.push_back({r * std::cos(around), side * std::sin(twist), r * std::sin(around)});
    }
    const std::uint32_t a = 2 * i, b = a + 1, c = i + 1 < kParts ? a + 2 : 1, d = i + 1 < kParts ? a + 3 : 0;
    strip.triangles.push_back({a, b, c});
    strip.triangles.push_back({b, d, c});
  }
  MeshReport report;
  repair(strip, report);
  EXPECT_EQ(report.twisted_edges, 1u);
  EXPECT_EQ(report.open_edges, 2u * kParts);
  EXPECT_EQ(report.holes, 1u);
}

TEST(Repair, TellsSheetsAndLooseTriangles) {
  Mesh sheet;
  for (std::uint32_t i = 0; i < 4; ++i) sheet.points.push_back({double(i & 1), 0, double(i >> 1)});
  sheet.triangles = {{0, 1, 3}, {0, 3, 2}};
  MeshReport flat;
  repair(sheet, flat);
  EXPECT_TRUE(flat.encloses_nothing());
  EXPECT_FALSE(flat.all_open());
  sheet.triangles = {{0, 1, 3}};
  MeshReport loose;
  repair(sheet, loose);
  EXPECT_TRUE(loose.all_open());
  MeshReport solid;
  repair(cube(), solid);
  EXPECT_FALSE(solid.encloses_nothing());
  EXPECT_FALSE(solid.all_open());
}

TEST(Repair, LeavesHolesOpenWhenOnlyCleaning) {
  MeshReport report;
  Mesh mesh = clean(soup(dome(10, 1.0)), report);
  make_consistent(mesh, report);
  EXPECT_EQ(report.open_edges, 10u);
  EXPECT_EQ(open_edges(mesh), 10u);
}

TEST(Repair, RefusesWhatIsNoMesh) {
  MeshReport report;
  const auto refused = [&](Mesh mesh, const std::string& reason) {
    try {
      repair(mesh, report, {"file.obj"});
    } catch (const UserError& error) {
      return std::string(error.what()).find("file.obj: " + reason) == 0;
    }
    return false;
  };
  Mesh mesh = cube();
  mesh.triangles[2][1] = 8;
  EXPECT_TRUE(refused(mesh, "triangle 2 has vertex 8, there are only 8"));
  EXPECT_TRUE(refused({}, "no triangle with an area is left"));
  EXPECT_TRUE(refused({{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, {{0, 1, 2}}}, "no triangle with an area is left"));
  EXPECT_TRUE(refused({{{3, 3, 3}, {3, 3, 3}, {3, 3, 3}}, {{0, 1, 2}}}, "no triangle with an area is left"));
}

TEST(Repair, TakesTimeInProportionHoweverBadTheMeshIs) {
  Mesh star;  // one edge that all triangles share, and one point at which all of them meet
  star.points = {{0, 0, 0}, {0, 1, 0}};
  for (std::uint32_t i = 0; i < 200'001; ++i) {
    star.points.push_back({std::cos(i * 1e-5), 0, std::sin(i * 1e-5)});
    star.triangles.push_back({0, 1, i + 2});
  }
  MeshReport report;
  const auto start = std::chrono::steady_clock::now();
  repair(star, report);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace firn
