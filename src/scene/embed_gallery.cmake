# Writes OUTPUT, the C++ source of firn::gallery(), from the scene files SCENES. The first line of a scene, a comment, is its summary.
cmake_minimum_required(VERSION 3.25)

set(entries "")
foreach(scene IN LISTS SCENES)
  get_filename_component(name "${scene}" NAME_WE)
  file(READ "${scene}" toml)
  if(NOT toml MATCHES "^# ([^\n]+)\n")
    message(FATAL_ERROR "${scene}: the first line must be '# what it shows · source · cost'")
  endif()
  string(APPEND entries "      {\"${name}\", R\"firn(${CMAKE_MATCH_1})firn\", R\"firn(${toml})firn\"},\n")
endforeach()

file(WRITE "${OUTPUT}" "// Made by embed_gallery.cmake from scenes/*.toml.
#include \"firn/scene.h\"

namespace firn {

const std::vector<GalleryEntry>& gallery() {
  static const std::vector<GalleryEntry> entries{
${entries}  };
  return entries;
}

}  // namespace firn
")
