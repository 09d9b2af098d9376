# The files that gallery scenes come with, made beside the program: meshes and motions by a script, and the font of the letters.
set(files ${PROJECT_BINARY_DIR}/scenes)
set(maker ${PROJECT_SOURCE_DIR}/scenes/files/make_files.py)
find_program(FIRN_PYTHON python3 HINTS /usr/bin REQUIRED)
find_file(FIRN_LETTERS DejaVuSans-Bold.ttf PATHS /usr/share/fonts PATH_SUFFIXES truetype/dejavu dejavu TTF REQUIRED)

add_custom_command(
  OUTPUT ${files}/made
  COMMAND ${FIRN_PYTHON} ${maker} ${files}
  COMMAND ${CMAKE_COMMAND} -E copy ${FIRN_LETTERS} ${files}/letters.ttf
  COMMAND ${CMAKE_COMMAND} -E touch ${files}/made
  DEPENDS ${maker} ${FIRN_LETTERS}
  VERBATIM)
add_custom_target(gallery_files ALL DEPENDS ${files}/made)
add_dependencies(firn gallery_files)
