// Texts that are not TOML at all, or not fit for toml++.
#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

TEST(Document, SyntaxErrorsHaveTheirPlace) {
  EXPECT_EQ(error_of("[simulation]\nspacing = = 3\n"), "scene.toml:2:11: not valid TOML, parsing value: could not determine value type");
  EXPECT_TRUE(contains(error_of("[simulation]\nspacing = 1\nspacing = 2\n"), "scene.toml:3:"));
  EXPECT_TRUE(contains(error_of("[simulation]\n[simulation]\n"), "scene.toml:2:1: not valid TOML"));
  EXPECT_TRUE(contains(error_of("[simulation\n"), "scene.toml:1:"));
  EXPECT_TRUE(contains(error_of("[simulation]\nspacing = 1e999\n"), "scene.toml:2:"));
  EXPECT_TRUE(contains(error_of("[simulation]\nspacing = 99999999999999999999\n"), "scene.toml:2:"));
}

TEST(Document, MissingClosingQuotePointsAtTheOpeningOne) {
  EXPECT_EQ(error_of("[simulation]\nspacing = \"abc\nfps = 3\n"), "scene.toml:2:11: the closing quote of this string is missing");
  EXPECT_EQ(error_of("[simulation]\nspacing = '''abc\nfps = 3\n"), "scene.toml:2:11: the closing quote of this string is missing");
  EXPECT_EQ(error_of("a = \"\\"), "scene.toml:1:5: the closing quote of this string is missing");
}

TEST(Document, LettersOutsideOfQuotesAreAscii) {
  EXPECT_EQ(error_of("[simulation]\n \xca\x9b-\n"), "scene.toml:2:2: '\xca\x9b' may stand only in quotes and comments");
  EXPECT_EQ(error_of("\xc3\xa9 = 1\n"), "scene.toml:1:1: '\xc3\xa9' may stand only in quotes and comments");
}

TEST(Document, LettersInQuotesAndCommentsAreFree) {
  EXPECT_EQ(error_of("# \xca\x9b- \xe2\x82\xac\n" + kMinimal), "no error");
  EXPECT_TRUE(contains(error_of(kMinimal + "material = \"\xca\x9b-\"\n"), "scene.toml:8:1: unknown material \"\xca\x9b-\""));
}

TEST(Document, ColumnsCountCharactersNotBytes) {
  EXPECT_TRUE(contains(error_of("\"\xe2\x82\xac\xe2\x82\xac\" = 1 \x80"), "scene.toml:1:10: byte 0x80 is not UTF-8"));
}

TEST(Document, InvalidUtf8IsNamedWithItsByte) {
  for (const std::string bytes :
       {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xe2\x82", "\xf5\x80\x80\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80"}) {
    EXPECT_TRUE(contains(error_of(kMinimal + "material = \"" + bytes + "\"\n"), "scene.toml:8:13: byte 0x")) << bytes;
    EXPECT_TRUE(contains(error_of("# " + bytes + "\n" + kMinimal), "scene.toml:1:3: byte 0x")) << bytes;
  }
}

TEST(Document, ForeignEncodingsAreNamed) {
  EXPECT_EQ(error_of("\xef\xbb\xbf" + kMinimal), "scene.toml:1:1: the file starts with a byte order mark, save it as plain UTF-8");
  EXPECT_EQ(error_of(std::string("\xff\xfe[\0", 4)), "scene.toml:1:1: the file is UTF-16, save it as UTF-8");
  EXPECT_EQ(error_of("[simulation]\nspacing = 1" + std::string(1, '\0')),
            "scene.toml:2:12: control character 0x00, a scene is a text file");
}

TEST(Document, WindowsLineEndsAreFine) {
  std::string text;
  for (const char c : kMinimal) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(error_of(text), "no error");
  EXPECT_TRUE(contains(error_of(text + "colour = 1\r\n"), "scene.toml:8:1: unknown key 'colour'"));
}

TEST(Document, StringsOfEveryKindHideTheirContent) {
  for (const std::string text : {"\"\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[\"", "'[[[[[[[[[[[[[[[[[[[[[[[[[[\\'",
                                 "\"\"\"\n\"[[[[[[[[[[[[[[[[[[[[[[[[[\\\"\"\"\"\"", "'''\n''[[[[[[[[[[[[[[[[[[[[[[[[['''''"})
    EXPECT_TRUE(contains(error_of(kMinimal + "material = " + text + "\n"), "scene.toml:8:1: unknown material")) << text;
}

TEST(Document, DeepNestingIsRefusedBeforeItCanOverflowTheStack) {
  const int deep = 1000000;
  EXPECT_EQ(error_of("a = " + std::string(deep, '[')), "scene.toml:1:21: nested more than 16 levels deep");
  std::string dotted = "[a";
  std::string inline_tables = "a = ";
  for (int i = 0; i < deep; ++i) {
    dotted += ".a";
    inline_tables += "{a=";
  }
  EXPECT_TRUE(contains(error_of(dotted + "]\n"), "nested more than 16 levels deep"));
  EXPECT_TRUE(contains(error_of(dotted.substr(1) + " = 1\n"), "nested more than 16 levels deep"));
  EXPECT_TRUE(contains(error_of(inline_tables), "nested more than 16 levels deep"));
}

}  // namespace
}  // namespace firn::scene_tests
