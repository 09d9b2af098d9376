# Writes OUTPUT, the C++ source of firn::kScenesPage, from PAGE, docs/scenes.md: the help of keys comes from its tables.
cmake_minimum_required(VERSION 3.25)

file(READ "${PAGE}" text)
file(WRITE "${OUTPUT}" "// Made by embed_page.cmake from docs/scenes.md.
#include <string_view>

namespace firn {

extern const std::string_view kScenesPage;
const std::string_view kScenesPage = R\"firn(${text})firn\";

}  // namespace firn
")
