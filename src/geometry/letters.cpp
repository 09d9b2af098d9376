#include "geometry/letters.h"

#include <fmt/format.h>
#include <ft2build.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include FT_FREETYPE_H
#include FT_OUTLINE_H
#include FT_TRUETYPE_TABLES_H
#include "core/files.h"
#include "core/text.h"
#include "firn/error.h"

namespace firn {
namespace {

using V = Vec<double, 2>;

constexpr std::uint32_t kLeafSegments = 4;
constexpr std::size_t kDeepest = 64;  // levels of the tree: halving 2³² segments takes half of it
constexpr std::size_t kSegmentsPerStrip = 4;

double squared(const V& v) { return dot(v, v); }

double squared_distance_to_box(const V& x, const V& lower, const V& upper) {
  V outside;
  for (int d = 0; d < 2; ++d) outside[d] = std::max({lower[d] - x[d], x[d] - upper[d], 0.0});
  return squared(outside);
}

double squared_distance_to_segment(const V& x, const V& a, const V& b) {
  const V along = b - a;
  const double t = std::clamp(dot(x - a, along) / squared(along), 0.0, 1.0);
  return squared(x - a - t * along);
}

}  // namespace

Polygons::Polygons(const std::vector<Polygon>& polygons, FillRule rule) : rule_(rule) {
  for (const Polygon& polygon : polygons)
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const V &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
      if (squared(b - a) > 0) segments_.push_back({a, b});
    }
  if (segments_.empty()) return;
  build_tree();
  build_strips();
}

void Polygons::fit(Node& node) const {
  node.lower = node.upper = segments_[node.first].a;
  for (std::uint32_t i = node.first; i < node.first + node.count; ++i)
    for (const V& p : {segments_[i].a, segments_[i].b})
      for (int d = 0; d < 2; ++d) {
        node.lower[d] = std::min(node.lower[d], p[d]);
        node.upper[d] = std::max(node.upper[d], p[d]);
      }
}

void Polygons::build_tree() {
  nodes_.push_back({{0, 0}, {0, 0}, 0, static_cast<std::uint32_t>(segments_.size())});
  fit(nodes_[0]);
  lower_ = nodes_[0].lower;
  upper_ = nodes_[0].upper;
  for (std::uint32_t node = 0; node < nodes_.size(); ++node)
    if (nodes_[node].count > kLeafSegments) split(node);
}

// Splits the node in half, across the longer side.
void Polygons::split(std::uint32_t node) {
  const std::uint32_t first = nodes_[node].first, count = nodes_[node].count, half = count / 2;
  const V size = nodes_[node].upper - nodes_[node].lower;
  const int axis = size[0] > size[1] ? 0 : 1;
  const auto begin = segments_.begin() + first;
  std::nth_element(begin, begin + half, begin + count,
                   [&](const Segment& s, const Segment& t) { return s.a[axis] + s.b[axis] < t.a[axis] + t.b[axis]; });
  Node low{{0, 0}, {0, 0}, first, half}, high{{0, 0}, {0, 0}, first + half, count - half};
  fit(low);
  fit(high);
  nodes_[node].first = static_cast<std::uint32_t>(nodes_.size());
  nodes_[node].count = 0;
  nodes_.push_back(low);
  nodes_.push_back(high);
}

std::size_t Polygons::strip_of(double y) const {
  const double part = (y - lower_[1]) / (upper_[1] - lower_[1]) * static_cast<double>(strips_.size());
  return static_cast<std::size_t>(std::clamp(part, 0.0, static_cast<double>(strips_.size() - 1)));
}

void Polygons::build_strips() {
  strips_.resize(segments_.size() / kSegmentsPerStrip + 1);
  if (upper_[1] == lower_[1]) return;  // all on a line: nothing is inside
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    const Segment& s = segments_[i];
    const std::size_t last = strip_of(std::max(s.a[1], s.b[1]));
    for (std::size_t strip = strip_of(std::min(s.a[1], s.b[1])); strip <= last; ++strip) strips_[strip].push_back(i);
  }
}

// How often the polygons go round x: what crosses the ray from x towards +x, upwards counting +1.
bool Polygons::inside(const V& x) const {
  if (empty() || x[0] > upper_[0] || !(x[1] >= lower_[1] && x[1] < upper_[1])) return false;
  int winding = 0, crossings = 0;
  for (const std::uint32_t i : strips_[strip_of(x[1])]) {
    const Segment& s = segments_[i];
    const bool begins_above = s.a[1] > x[1], ends_above = s.b[1] > x[1];
    if (begins_above == ends_above) continue;
    const V along = s.b - s.a, to = x - s.a;
    const double side = along[0] * to[1] - along[1] * to[0];  // > 0: x lies to the left of the segment
    if (ends_above ? side <= 0 : side >= 0) continue;
    winding += ends_above ? 1 : -1;
    ++crossings;
  }
  return rule_ == FillRule::kNonZero ? winding != 0 : crossings % 2 == 1;
}

double Polygons::distance(const V& x) const {
  if (empty()) return std::numeric_limits<double>::infinity();
  double best = std::numeric_limits<double>::infinity();
  struct Waiting {
    std::uint32_t node;
    double squared_distance;
  };
  Waiting stack[kDeepest] = {{0, 0}};
  const auto wait = [&](std::uint32_t node) { return Waiting{node, squared_distance_to_box(x, nodes_[node].lower, nodes_[node].upper)}; };
  for (std::size_t depth = 1; depth > 0;) {
    const Waiting next = stack[--depth];
    if (next.squared_distance >= best) continue;
    const Node& node = nodes_[next.node];
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i)
      best = std::min(best, squared_distance_to_segment(x, segments_[i].a, segments_[i].b));
    if (node.count > 0) continue;
    const Waiting low = wait(node.first), high = wait(node.first + 1);
    const bool low_first = low.squared_distance < high.squared_distance;
    stack[depth++] = low_first ? high : low;
    stack[depth++] = low_first ? low : high;  // the nearer one on top
  }
  return inside(x) ? -std::sqrt(best) : std::sqrt(best);
}

namespace {

using V = Vec<double, 2>;

constexpr double kFlatness = 1e-3;                           // of the capitals' height: how far a chord may be from its curve
constexpr int kMostChords = 64;                              // of one curve
constexpr double kUsualCapitals = 0.7;                       // of the em, for fonts that do not tell
constexpr std::size_t kLongestText = 1000;                   // characters
constexpr std::size_t kLargestFont = std::size_t{64} << 20;  // bytes

// An open font file, and the library with it.
class Font {
 public:
  explicit Font(const std::string& path) : content_(read_file(path, kLargestFont)) {
    FT_Library library = nullptr;
    if (FT_Init_FreeType(&library) != 0) throw RunError("FreeType cannot be started");
    library_.reset(library);
    FT_Face face = nullptr;
    const FT_Error failure =
        FT_New_Memory_Face(library, reinterpret_cast<const FT_Byte*>(content_.data()), static_cast<FT_Long>(content_.size()), 0, &face);
    if (failure != 0) throw UserError(Location{path}, "is not a font that FreeType can read, use a TrueType or OpenType file");
    face_.reset(face);
    if (!FT_IS_SCALABLE(face)) throw UserError(Location{path}, "is a font of pixels, use one with outlines");
  }

  FT_Face face() const { return face_.get(); }

  // In the font's units.
  double capitals() const {
    const auto* table = static_cast<const TT_OS2*>(FT_Get_Sfnt_Table(face(), FT_SFNT_OS2));
    if (table && table->version >= 2 && table->version != 0xffff && table->sCapHeight > 0) return table->sCapHeight;
    const FT_UInt h = FT_Get_Char_Index(face(), 'H');
    if (h != 0 && FT_Load_Glyph(face(), h, FT_LOAD_NO_SCALE) == 0 && face()->glyph->metrics.horiBearingY > 0)
      return static_cast<double>(face()->glyph->metrics.horiBearingY);
    return kUsualCapitals * face()->units_per_EM;
  }

 private:
  struct Close {
    void operator()(FT_Library library) const { FT_Done_FreeType(library); }
    void operator()(FT_Face face) const { FT_Done_Face(face); }
  };
  std::string content_;  // the face reads from it
  std::unique_ptr<FT_LibraryRec_, Close> library_;
  std::unique_ptr<FT_FaceRec_, Close> face_;
};

// Collects the contours of glyphs as polygons, in the font's units; curves become chords.
class Pen {
 public:
  Pen(double flatness, std::vector<Polygon>& polygons) : flatness_(flatness), polygons_(polygons) {}

  void draw(FT_Outline& outline, double x) {
    x_ = x;
    FT_Outline_Funcs functions{};
    functions.move_to = [](const FT_Vector* to, void* pen) noexcept { return self(pen).move(to); };
    functions.line_to = [](const FT_Vector* to, void* pen) noexcept { return self(pen).line(to); };
    functions.conic_to = [](const FT_Vector* b, const FT_Vector* to, void* pen) noexcept { return self(pen).conic(b, to); };
    functions.cubic_to = [](const FT_Vector* b, const FT_Vector* c, const FT_Vector* to, void* pen) noexcept {
      return self(pen).cubic(b, c, to);
    };
    FT_Outline_Decompose(&outline, &functions, this);
  }

 private:
  static Pen& self(void* pen) { return *static_cast<Pen*>(pen); }
  V point(const FT_Vector* v) const { return {x_ + static_cast<double>(v->x), static_cast<double>(v->y)}; }

  int move(const FT_Vector* to) {
    polygons_.push_back({point(to)});
    return 0;
  }
  int line(const FT_Vector* to) {
    polygons_.back().push_back(point(to));
    return 0;
  }
  int conic(const FT_Vector* control, const FT_Vector* to) {
    const V a = polygons_.back().back(), b = point(control), c = point(to);
    const int n = chords(2 * norm(a - 2.0 * b + c));
    for (int i = 1; i <= n; ++i) {
      const double u = static_cast<double>(i) / n, v = 1 - u;
      polygons_.back().push_back((v * v) * a + (2 * u * v) * b + (u * u) * c);
    }
    return 0;
  }
  int cubic(const FT_Vector* first, const FT_Vector* second, const FT_Vector* to) {
    const V a = polygons_.back().back(), b = point(first), c = point(second), d = point(to);
    const int n = chords(6 * std::max(norm(a - 2.0 * b + c), norm(b - 2.0 * c + d)));
    for (int i = 1; i <= n; ++i) {
      const double u = static_cast<double>(i) / n, v = 1 - u;
      polygons_.back().push_back((v * v * v) * a + (3 * u * v * v) * b + (3 * u * u * v) * c + (u * u * u) * d);
    }
    return 0;
  }
  // A chord over 1/n of a curve is at most |second derivative| / (8 n²) away from it.
  int chords(double second_derivative) const {
    return static_cast<int>(std::clamp(std::ceil(std::sqrt(second_derivative / (8 * flatness_))), 1.0, static_cast<double>(kMostChords)));
  }

  double flatness_;
  double x_ = 0;
  std::vector<Polygon>& polygons_;
};

struct Layout {
  const Font& font;
  double capitals;  // font units
  TextOutline outline;
  std::set<char32_t> missing;
};

// Sets one line with its base line at y = 0 from x = 0 on.
std::vector<Polygon> set_line(const std::u32string& line, Layout& layout) {
  const FT_Face face = layout.font.face();
  std::vector<Polygon> polygons;
  Pen pen(kFlatness * layout.capitals, polygons);
  double x = 0;
  FT_UInt before = 0;
  for (const char32_t letter : line) {
    const FT_UInt glyph = FT_Get_Char_Index(face, letter);
    if (glyph == 0 || FT_Load_Glyph(face, glyph, FT_LOAD_NO_SCALE) != 0 || face->glyph->format != FT_GLYPH_FORMAT_OUTLINE) {
      layout.missing.insert(letter);
      continue;
    }
    FT_Vector kerning{0, 0};
    if (before != 0 && FT_HAS_KERNING(face)) FT_Get_Kerning(face, before, glyph, FT_KERNING_UNSCALED, &kerning);
    x += static_cast<double>(kerning.x);
    if (face->glyph->outline.flags & FT_OUTLINE_EVEN_ODD_FILL) layout.outline.rule = FillRule::kEvenOdd;
    const double advance = static_cast<double>(face->glyph->metrics.horiAdvance);
    pen.draw(face->glyph->outline, x);
    x += advance;
    before = glyph;
  }
  return polygons;
}

// Moves a line to its place and takes it from the font's units to metres.
void place_line(std::vector<Polygon> polygons, double base_line, double scale, TextOutline& outline) {
  double left = 1e300, right = -1e300;
  for (const Polygon& polygon : polygons)
    for (const V& p : polygon) {
      left = std::min(left, p[0]);
      right = std::max(right, p[0]);
    }
  for (Polygon& polygon : polygons) {
    for (V& p : polygon) p = {scale * (p[0] - (left + right) / 2), scale * (p[1] + base_line)};
    outline.polygons.push_back(std::move(polygon));
  }
}

std::string missing_text(const std::set<char32_t>& missing, const std::string& font) {
  std::string list;
  for (const char32_t letter : missing) list += fmt::format("{}U+{:04X}", list.empty() ? "" : ", ", static_cast<std::uint32_t>(letter));
  return fmt::format("{} has no letters for {}: they are left out", font, list);
}

}  // namespace

TextOutline outline_text(const std::string& text, const TextStyle& style) {
  const std::u32string letters = from_utf8(text);
  if (letters.size() > kLongestText)
    throw UserError(fmt::format("the text has {} characters, at most {} are allowed", letters.size(), kLongestText));
  const Font font(style.font);
  Layout layout{font, font.capitals(), {}, {}};
  std::vector<std::u32string> lines(1);
  for (const char32_t letter : letters) {
    if (letter == U'\n') {
      lines.emplace_back();
    } else if (letter != U'\r') {
      lines.back() += letter;
    }
  }
  const double line_height = font.face()->height;
  const double lowest = -line_height * static_cast<double>(lines.size() - 1);  // the last base line, if the first is at 0
  const double shift = -(layout.capitals + lowest) / 2;
  for (std::size_t i = 0; i < lines.size(); ++i)
    place_line(set_line(lines[i], layout), shift - line_height * static_cast<double>(i), style.size / layout.capitals, layout.outline);
  if (layout.outline.polygons.empty()) throw UserError("the text has no letters that can be seen");
  if (!layout.missing.empty()) layout.outline.warnings.push_back(missing_text(layout.missing, style.font));
  return std::move(layout.outline);
}

double TextSolid::distance(const Vec<double, 3>& x) const {
  const double across = polygons_.distance({x[0], x[1]}), along = std::abs(x[2]) - half_;
  if (across <= 0 || along <= 0) return std::max(across, along);
  return std::hypot(across, along);
}

}  // namespace firn
