// The page, as it was compiled in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace firn::studio {

struct PageFile {
  std::string_view path;  // from "/" on
  std::string_view bytes;
  bool is_gzip;
};
// Made by embed_files.cmake; none where the page was not built.
const std::vector<PageFile>& page_files();

// Null: there is no such file.
const PageFile* find_page_file(std::string_view path);

// What was compressed by gzip. Throws RunError.
std::string inflated(std::string_view bytes);

// By the ending of a file's name.
const char* media_type(std::string_view path);
// The same of a file that is not part of the page: nothing that browsers would run.
const char* passive_media_type(std::string_view path);

// What is shown instead of a page that was not built.
std::string page_instead();

// The page with the token where it looks for it.
std::string with_token(std::string page, const std::string& token);

}  // namespace firn::studio
