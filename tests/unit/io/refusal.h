// Bytes that a reader has to refuse with a UserError that says where.
#pragma once

#include <gtest/gtest.h>

#include "firn/frame.h"
#include "support/error_of.h"

namespace firn::test {

using Parser = Frame (*)(const std::string& file, std::string_view bytes);

inline void expect_refused(Parser parse, std::string_view bytes, const std::string& message) {
  const std::string what = test::error_of([&] { parse("the file", bytes); });
  EXPECT_EQ(what.rfind("the file: at byte ", 0), 0u) << what;
  EXPECT_NE(what.find(message), std::string::npos) << what << "\nlacks: " << message;
  EXPECT_EQ(what.find('\n'), std::string::npos) << what;
}

// Cut off before byte `end` anywhere.
inline void expect_refused_when_cut(Parser parse, std::string_view bytes, std::size_t end) {
  for (std::size_t size = 0; size < end; ++size) {
    SCOPED_TRACE(size);
    expect_refused(parse, bytes.substr(0, size), "");
  }
}

// Any one byte changed to some others: a frame or a UserError, nothing else, and no more particles than the file has bytes.
inline void expect_survives_changes(Parser parse, const std::string& good) {
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const int value : {0x00, 0x7f, 0x80, 0xff, good[at] + 1, good[at] - 1}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(value);
      try {
        EXPECT_LE(parse("the file", bytes).size(), bytes.size());
      } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("at byte "), std::string::npos) << error.what();
      }
    }
}

}  // namespace firn::test
