#include "render/shared/canvas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/text.h"
#include "render/shared/vector.h"

namespace firn {
namespace {

// Points are two digits, x and y; a blank lifts the pen. The base line is at y = 2, small letters end at 6, capitals at 8.
constexpr int kBaseLine = 2;
constexpr float kCapitals = 6;
constexpr int kLetterGap = 2;  // between letters
constexpr int kBlank = 3;

constexpr char32_t kFirst = U'!', kLast = U'~', kCube = U'³';
constexpr std::array<std::string_view, kLast - kFirst + 1> kLetters{
    "0804 0202",                         // !
    "0806 2826",                         // "
    "1218 3238 0444 0646",               // #
    "473818070615354443321203 2921",     // $
    "0248 0818170708 4232334342",        // %
    "4206071827260403122244",            // &
    "0806",                              // '
    "18070312",                          // (
    "08171302",                          // )
    "2428 0547 0745",                    // *
    "2327 0545",                         // +
    "1301",                              // ,
    "0535",                              // -
    "0202",                              // .
    "0138",                              // /
    "120307183847433212",                // 0
    "172822 1232",                       // 1
    "07183847460242",                    // 2
    "07183847463515 354443321203",       // 3
    "32380444",                          // 4
    "480805354443321203",                // 5
    "4738180703123243443505",            // 6
    "084812",                            // 7
    "15060718384746351504031232434435",  // 8
    "0312324347381807061545",            // 9
    "0303 0606",                         // :
    "1301 1616",                         // ;
    "470543",                            // <
    "0444 0646",                         // =
    "074503",                            // >
    "07183847462524 2222",               // ?
    "433212030718384744242646",          // @
    "022842 1434",                       // A
    "02083847463505 3544433202",         // B
    "4738180703123243",                  // C
    "02082846442202",                    // D
    "48080242 0535",                     // E
    "480802 0535",                       // F
    "47381807031232434525",              // G
    "0802 4842 0545",                    // H
    "0802",                              // I
    "4843321203",                        // J
    "0802 4804 1542",                    // K
    "080242",                            // L
    "0208254842",                        // M
    "02084248",                          // N
    "120307183847433212",                // O
    "02083847463505",                    // P
    "120307183847433212 2442",           // Q
    "02083847463505 2542",               // R
    "473818070615354443321203",          // S
    "0848 2822",                         // T
    "080312324348",                      // U
    "082248",                            // V
    "0812253248",                        // W
    "0842 0248",                         // X
    "082548 2522",                       // Y
    "08480242",                          // Z
    "18080212",                          // [
    "0831",                              // backslash
    "08181202",                          // ]
    "062846",                            // ^
    "0141",                              // _
    "0817",                              // `
    "3632 3526160503122233",             // a
    "0802 0516263533221203",             // b
    "3526160503122233",                  // c
    "3832 3526160503122233",             // d
    "04343526160503122233",              // e
    "28171612 0626",                     // f
    "3631201001 3526160503122233",       // g
    "0802 0516263532",                   // h
    "0602 0808",                         // i
    "161100 1818",                       // j
    "0802 3603 1432",                    // k
    "080312",                            // l
    "0602 05162522 25364542",            // m
    "0602 0516263532",                   // n
    "120305162635332212",                // o
    "0600 0516263533221203",             // p
    "3630 3526160503122233",             // q
    "0602 051626",                       // r
    "35261605142433221203",              // s
    "181322 0626",                       // t
    "0603122233 3632",                   // u
    "062246",                            // v
    "0612243246",                        // w
    "0632 0236",                         // x
    "0622 4610",                         // y
    "06360232",                          // z
    "28171605141322",                    // {
    "0801",                              // |
    "08171625141302",                    // }
    "04153445",                          // ~
};
constexpr std::string_view kRaisedThree = "082817261505";
constexpr std::string_view kBox = "0208484202";

std::string_view letter(char32_t c) {
  if (c == kCube) return kRaisedThree;
  return c >= kFirst && c <= kLast ? kLetters[c - kFirst] : kBox;
}

}  // namespace

StrokeText set_text(const std::string& text) {
  StrokeText result;
  int x = 0;
  for (const char32_t c : from_utf8(text)) {
    if (c == U' ') {
      x += kBlank;
      continue;
    }
    const std::string_view pen = letter(c);
    int widest = 0;
    Vec<float, 2> last{};
    bool down = false;
    for (std::size_t i = 0; i < pen.size(); i += 2) {
      if (pen[i] == ' ') {
        down = false;
        ++i;
      }
      const int right = pen[i] - '0', up = pen[i + 1] - '0';
      const Vec<float, 2> point{static_cast<float>(x + right) / kCapitals, static_cast<float>(up - kBaseLine) / kCapitals};
      if (down) result.strokes.push_back({last, point});
      last = point;
      down = true;
      widest = std::max(widest, right);
    }
    x += widest + kLetterGap;
  }
  result.width = static_cast<float>(std::max(x - kLetterGap, 0)) / kCapitals;
  return result;
}

namespace {

constexpr int kPictureHeight = 45;                // of the picture, in heights of capital letters
constexpr int kLeastCapitals = 7;                 // pixels; smaller ones cannot be read
constexpr float kMargin = 0.8f, kPadding = 0.7f;  // of labels, in heights of capital letters

float distance(const Vec<float, 2>& p, const Stroke& s) {
  const Vec<float, 2> along = s.to - s.from, to_p = p - s.from;
  const float length2 = dot(along, along);
  const float t = length2 > 0 ? clamp(dot(to_p, along) / length2, 0.0f, 1.0f) : 0.0f;
  return norm(to_p - t * along);
}

}  // namespace

int capitals_in(const Image& image) {
  return std::max(kLeastCapitals, static_cast<int>(std::lround(image.height / double{kPictureHeight})));
}

void Canvas::blend(int x, int y, const Colour& colour, float cover) {
  if (x < 0 || y < 0 || x >= image_.width || y >= image_.height || cover <= 0) return;
  std::uint8_t* pixel = image_.rgb.data() + 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.width) + x);
  for (int c = 0; c < 3; ++c) pixel[c] = to_byte(mix(from_byte(pixel[c]), colour[c], cover));
}

void Canvas::fill(const PixelBox& box, const Colour& colour, float cover) {
  for (int y = box.top; y < box.bottom; ++y)
    for (int x = box.left; x < box.right; ++x) blend(x, y, colour, cover);
}

void Canvas::line(const Stroke& line, float width, const Colour& colour) {
  const auto first = [&](int d) { return std::max(0, static_cast<int>(std::min(line.from[d], line.to[d]) - width)); };
  const auto last = [&](int d, int end) {
    return static_cast<int>(std::min(std::max(line.from[d], line.to[d]) + width + 1, static_cast<float>(end)));
  };
  for (int y = first(1); y < last(1, image_.height); ++y)
    for (int x = first(0); x < last(0, image_.width); ++x) {
      const float away = distance({static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f}, line);
      blend(x, y, colour, clamp(0.5f * width + 0.5f - away, 0.0f, 1.0f));
    }
}

void Canvas::write(const StrokeText& text, float x, float y, float capitals) {
  const float reach = std::max(0.5f * kStrokeWidth * capitals, 0.55f);  // thinner ones would fade
  const PixelBox box{static_cast<int>(x - 2 * reach), static_cast<int>(y - capitals - 2 * reach),
                     static_cast<int>(x + capitals * text.width + 2 * reach) + 2,
                     static_cast<int>(y + kDescent * capitals + 2 * reach) + 2};
  for (int v = box.top; v < box.bottom; ++v)
    for (int u = box.left; u < box.right; ++u) {
      const Vec<float, 2> p{(static_cast<float>(u) + 0.5f - x) / capitals, (y - static_cast<float>(v) - 0.5f) / capitals};
      float nearest = 1;
      for (const Stroke& stroke : text.strokes) nearest = std::min(nearest, distance(p, stroke));
      blend(u, v, kInk, clamp(reach + 0.5f - capitals * nearest, 0.0f, 1.0f));
    }
}

void draw_label(const std::string& text, Corner corner, Image& image, int taken) {
  const float capitals = static_cast<float>(capitals_in(image));
  const StrokeText letters = set_text(text);
  const auto pixels = [&](float x) { return static_cast<int>(std::lround(capitals * x)); };
  const int width = pixels(letters.width + 2 * kPadding), height = pixels(1 + 2 * kPadding), margin = pixels(kMargin);
  const int left = corner == Corner::kLeft ? taken + margin : image.width - margin - width;
  Canvas canvas(image);
  canvas.fill({left, margin, left + width, margin + height}, kPanel, kPanelCover);
  canvas.write(letters, static_cast<float>(left) + capitals * kPadding, static_cast<float>(margin) + capitals * (1 + kPadding), capitals);
}

}  // namespace firn
