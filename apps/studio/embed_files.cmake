# Writes OUTPUT, the C++ source of firn::studio::page_files(), from the files below ROOT, none where it has no page.
# Text is compressed into FOLDER.
cmake_minimum_required(VERSION 3.25)

file(MAKE_DIRECTORY "${FOLDER}")
set(files)
if(EXISTS "${ROOT}/index.html")
  file(GLOB_RECURSE files "${ROOT}/*")
endif()
set(data "")
set(names "")
set(entries "")
set(number 0)
foreach(file IN LISTS files)
  file(RELATIVE_PATH path "${ROOT}" "${file}")
  set(stored "${file}")
  set(is_gzip false)
  if(path MATCHES "\\.(html|js|css|json|svg|txt|webmanifest)$")
    set(stored "${FOLDER}/${number}.gz")
    file(ARCHIVE_CREATE OUTPUT "${stored}" PATHS "${file}" FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
    set(is_gzip true)
  endif()
  string(APPEND data ".global firn_page_${number}\nfirn_page_${number}: .incbin \"${stored}\"\n")
  string(APPEND data ".global firn_page_${number}_end\nfirn_page_${number}_end: .byte 0\n")
  string(APPEND names "extern \"C\" const char firn_page_${number}[], firn_page_${number}_end[];\n")
  set(bytes "firn_page_${number}, std::size_t(firn_page_${number}_end - firn_page_${number})")
  string(APPEND entries "      {\"/${path}\", {${bytes}}, ${is_gzip}},\n")
  math(EXPR number "${number} + 1")
endforeach()
if(data)
  set(data "asm(R\"(\n.section .rodata\n${data}.text\n)\");\n")
endif()

file(WRITE "${OUTPUT}" "// Made by embed_files.cmake from the page that was built.
#include \"page.h\"

${data}${names}
namespace firn::studio {

const std::vector<PageFile>& page_files() {
  static const std::vector<PageFile> files{
${entries}  };
  return files;
}

}  // namespace firn::studio
")
