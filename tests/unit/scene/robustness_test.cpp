// Whatever the bytes are, a scene is read or refused with a UserError; nothing else happens.
#include <random>

#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

// Fails the test when anything but a UserError of one line comes out. True: the text is a scene.
bool parses_or_is_refused(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    const Scene scene = parse(text, overrides);
    EXPECT_NO_THROW(parse(to_toml(scene))) << text;
    return true;
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what() << "\n" << text;
  }
  return false;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }

  std::string bytes(std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += static_cast<char>(below(256));
    return out;
  }

  void mutate(std::string& text) {
    static const std::string tokens[] = {"[",
                                         "]",
                                         "{",
                                         "}",
                                         "\"",
                                         "'",
                                         "'''",
                                         "\"\"\"",
                                         "=",
                                         ".",
                                         "\n",
                                         "#",
                                         "-",
                                         "nan",
                                         "inf",
                                         "1e99",
                                         "0x",
                                         "1979-05-27",
                                         "true",
                                         "[[",
                                         "]]",
                                         "\\",
                                         "\\u0000",
                                         ",",
                                         "-0",
                                         "999999999999",
                                         "\xca\x9b",
                                         "\xe2\x82\xac",
                                         "[snow]",
                                         "[[snow]]",
                                         "= [",
                                         "shape = \"box\"",
                                         "size = [1, 1, 1]"};
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(below(12) + 1, text.size() - at);
    switch (below(5)) {
      case 0: text.insert(at, bytes(below(3) + 1)); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, tokens[below(std::size(tokens))]); break;
      case 3: text.replace(at, length, tokens[below(std::size(tokens))]); break;
      case 4: text.insert(below(text.size() + 1), text.substr(at, below(80) + 1)); break;
    }
  }

 private:
  std::mt19937 random_;
};

TEST(Robustness, MutatedGalleryScenesAreReadOrRefused) {
  Mutator mutator(1);
  int read = 0;
  int refused = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string text = gallery()[mutator.below(gallery().size())].toml;
    for (std::size_t changes = mutator.below(4) + 1; changes > 0; --changes) mutator.mutate(text);
    ++(parses_or_is_refused(text) ? read : refused);
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 1000);
}

TEST(Robustness, RandomBytesAreRefused) {
  Mutator mutator(2);
  for (int i = 0; i < 3000; ++i) EXPECT_FALSE(parses_or_is_refused(mutator.bytes(mutator.below(200))));
}

TEST(Robustness, EveryBeginningOfASceneIsReadOrRefused) {
  const std::string text = to_toml(load_scene("sweep"));
  for (std::size_t length = 0; length < text.size(); ++length) parses_or_is_refused(text.substr(0, length));
}

TEST(Robustness, RandomLettersInStringsCommentsAndKeysAreReadOrRefused) {
  Mutator mutator(3);
  for (int i = 0; i < 3000; ++i) {
    std::string letters;
    for (int k = 0; k < 3; ++k) {
      const unsigned code = 0x80 + static_cast<unsigned>(mutator.below(0xd800 - 0x80));
      if (code >= 0x800) letters += static_cast<char>(0xe0 | (code >> 12));
      letters += static_cast<char>(code >= 0x800 ? 0x80 | ((code >> 6) & 0x3f) : 0xc0 | (code >> 6));
      letters += static_cast<char>(0x80 | (code & 0x3f));
    }
    EXPECT_TRUE(parses_or_is_refused("# " + letters + "\n" + kMinimal));
    EXPECT_FALSE(parses_or_is_refused(kMinimal + "\"" + letters + "\" = 1\n"));
    EXPECT_FALSE(parses_or_is_refused(kMinimal + "material = '" + letters + "'\n"));
    EXPECT_FALSE(parses_or_is_refused(kMinimal + letters + "- = 1\n"));
  }
}

TEST(Robustness, MutatedOverridesAreReadOrRefused) {
  const std::string good[] = {"solver.kernel=quadratic",
                              "simulation.gravity=[0,-1,0]",
                              "materials.packed.density=300",
                              "snow.0.radius=0.2",
                              "collider.1.friction=0.5",
                              "output.formats=[\"ply\"]",
                              "collider.0.keys=[{t=0,position=[0,0,0]}]"};
  Mutator mutator(4);
  for (int i = 0; i < 4000; ++i) {
    std::string text = good[mutator.below(std::size(good))];
    mutator.mutate(text);
    parses_or_is_refused(gallery()[mutator.below(gallery().size())].toml, {text});
  }
}

}  // namespace
}  // namespace firn::scene_tests
