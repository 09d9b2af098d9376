// Text from a font: layout, what is inside, distances.
#include "core/text.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "firn/error.h"
#include "geometry/letters.h"
#include "math/random.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace firn {
namespace {

const std::string kFont = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";  // package fonts-dejavu-core

TextOutline outline(const std::string& text, double size = 1) { return outline_text(text, {kFont, size, 1}); }
Polygons shape(const std::string& text) {
  const TextOutline o = outline(text);
  return {o.polygons, o.rule};
}

using test::error_of;

TEST(Text, SizeIsTheHeightOfCapitalsAndTheMiddleIsAtTheOrigin) {
  for (const double size : {1.0, 0.2}) {
    const TextOutline o = outline("HIH", size);
    const Polygons p(o.polygons, o.rule);
    EXPECT_NEAR(p.upper()[1], size / 2, 1e-3 * size);
    EXPECT_NEAR(p.lower()[1], -size / 2, 1e-3 * size);
    EXPECT_NEAR(p.upper()[0], -p.lower()[0], 1e-12);
  }
}

TEST(Text, OHasAHole) {
  const Polygons o = shape("O");
  EXPECT_GT(o.distance({0, 0}), 0.2) << "in the hole";
  EXPECT_FALSE(o.inside({0, 0}));
  EXPECT_TRUE(o.inside({o.upper()[0] - 0.05, 0})) << "in the ring";
  EXPECT_LT(o.distance({o.upper()[0] - 0.05, 0}), 0);
  EXPECT_NEAR(o.distance({o.upper()[0] + 2, 0}), 2, 1e-3) << "beside it";
}

TEST(Text, AreaOfAGlyphIsThatOfItsPolygons) {
  for (const std::string letter : {"O", "B", "S", "8", "\xc3\xa4"}) {
    const TextOutline o = outline(letter);
    double area = 0;
    for (const Polygon& polygon : o.polygons)
      for (std::size_t i = 0; i < polygon.size(); ++i) {
        const auto &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
        area += (a[0] * b[1] - a[1] * b[0]) / 2;
      }
    const Polygons p(o.polygons, o.rule);
    Rng rng(5);
    constexpr int kPoints = 200000;
    int hits = 0;
    const Vec<double, 2> size = p.upper() - p.lower();
    for (int i = 0; i < kPoints; ++i) hits += p.inside({p.lower()[0] + size[0] * rng.uniform(), p.lower()[1] + size[1] * rng.uniform()});
    EXPECT_NEAR(size[0] * size[1] * hits / kPoints, std::abs(area), 0.01 * std::abs(area)) << letter;
  }
}

// Every segment, one after the other, and the sum of the angles under which they are seen.
TEST(Text, DistancesAndSignsAreThoseOfAPlainSearch) {
  const TextOutline o = outline("Snow &\nfirn");
  const Polygons p(o.polygons, o.rule);
  Rng rng(8);
  for (int k = 0; k < 2000; ++k) {
    const Vec<double, 2> x{8 * rng.uniform() - 4, 5 * rng.uniform() - 2.5};
    double nearest = 1e300, angle = 0;
    for (const Polygon& polygon : o.polygons)
      for (std::size_t i = 0; i < polygon.size(); ++i) {
        const auto a = polygon[i] - x, b = polygon[(i + 1) % polygon.size()] - x;
        const auto along = b - a;
        const double t = dot(along, along) > 0 ? std::clamp(-dot(a, along) / dot(along, along), 0.0, 1.0) : 0;
        nearest = std::min(nearest, norm(a + t * along));
        angle += std::atan2(a[0] * b[1] - a[1] * b[0], dot(a, b));
      }
    const bool inside = std::abs(angle) > M_PI;
    ASSERT_NEAR(p.distance(x), inside ? -nearest : nearest, 1e-12);
  }
}

TEST(Text, TheSolidChangesByNoMoreThanTheDistance) {
  const TextSolid solid(outline("firn"), 0.3);
  Rng rng(9);
  const auto random = [&](double size) {
    return Vec<double, 3>{size * (2 * rng.uniform() - 1), size * (2 * rng.uniform() - 1), size * (2 * rng.uniform() - 1)};
  };
  for (int k = 0; k < 20000; ++k) {
    const auto a = random(1.5), b = a + random(0.2);
    ASSERT_LE(std::abs(solid.distance(a) - solid.distance(b)), norm(a - b) * (1 + 1e-12));
  }
}

TEST(Text, TheSolidHasItsThicknessAndExactEdges) {
  const TextSolid solid(outline("I"), 0.5);
  EXPECT_EQ(solid.lower()[2], -0.25);
  EXPECT_EQ(solid.upper()[2], 0.25);
  EXPECT_NEAR(solid.distance({0, 0, 0.2}), -0.05, 1e-12);
  EXPECT_NEAR(solid.distance({0, 0, 0.35}), 0.1, 1e-12);
  EXPECT_NEAR(solid.distance({solid.upper()[0] + 0.3, 0, 0.25 + 0.4}), 0.5, 1e-12) << "from the edge";
}

TEST(Text, LinesStandOneBelowTheOtherAndCentred) {
  const Polygons one = shape("HHHH"), two = shape("HHHH\nI");
  const double width = one.upper()[0] - one.lower()[0];
  EXPECT_NEAR(two.upper()[0] - two.lower()[0], width, 1e-12);
  EXPECT_NEAR(two.upper()[1], -two.lower()[1], 1e-3);
  EXPECT_GT(two.upper()[1], 1) << "two lines are more than twice as high as one";
  EXPECT_TRUE(two.inside({0, two.lower()[1] + 0.5})) << "the I of the second line";
}

TEST(Text, PairsAreKerned) {
  const auto width = [](const std::string& text) {
    const Polygons p = shape(text);
    return p.upper()[0] - p.lower()[0];
  };
  // A pair that fits into each other is narrower than the widths of its letters say: A V A against A H A and V H V.
  const double without = width("AHA") - width("H") - 2 * width("A");
  EXPECT_LT(width("AVA") - width("V") - 2 * width("A"), without - 0.1);
}

TEST(Text, LettersTheFontLacksAreNamedInAWarning) {
  const TextOutline o = outline("a\xf0\x93\x80\x80");  // an Egyptian hieroglyph
  ASSERT_EQ(o.warnings.size(), 1u);
  EXPECT_NE(o.warnings[0].find("U+13000"), std::string::npos) << o.warnings[0];
  EXPECT_TRUE(outline("a b").warnings.empty());
}

TEST(Text, FontsAndTextsThatAreNoneAreRefused) {
  const test::TempFolder folder;
  const std::string fake = folder.write("fake.ttf", "not a font at all");
  EXPECT_EQ(error_of([&] {
              outline_text("a", {fake, 1, 1});
            }),
            fake + ": is not a font that FreeType can read, use a TrueType or OpenType file");
  EXPECT_TRUE(error_of([] { outline_text("a", {"/no/such.ttf", 1, 1}); }).starts_with("/no/such.ttf: cannot be opened"));
  for (const std::string nothing : {"", " ", "\n\n", "\xf0\x93\x80\x80"})
    EXPECT_EQ(error_of([&] { outline(nothing); }), "the text has no letters that can be seen");
  EXPECT_EQ(error_of([] { outline("ab\xff"); }), "the text is not UTF-8 at byte 3");
  EXPECT_EQ(error_of([] { outline(std::string(1001, 'a')); }), "the text has 1001 characters, at most 1000 are allowed");
}

TEST(Utf8, IsReadAndChecked) {
  EXPECT_EQ(from_utf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"), (std::u32string{U'a', 0xe4, 0x20ac, 0x1f600}));
  for (const std::string bad :
       {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x80\x80\x80\x80", "\xc3z"})
    EXPECT_THROW(from_utf8(bad), UserError) << bad;
}

TEST(Text, AMillionDistancesTakeAboutASecond) {
  const Polygons p = shape("Twenty letters of it");
  Rng rng(3);
  const Vec<double, 2> size = p.upper() - p.lower();
  const auto begin = std::chrono::steady_clock::now();
  double sum = 0;
  constexpr int kPoints = 200000;
  for (int i = 0; i < kPoints; ++i) sum += p.distance({p.lower()[0] + size[0] * rng.uniform(), p.lower()[1] + size[1] * rng.uniform()});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() * 1e6 / kPoints;
  printf("    %.2f µs each (mean %.3f)\n", seconds, sum / kPoints);
  EXPECT_LT(seconds, 10) << "even where tests run side by side or under a sanitizer";
}

}  // namespace
}  // namespace firn
