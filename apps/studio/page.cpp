#include "page.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "firn/error.h"

namespace firn::studio {

const PageFile* find_page_file(std::string_view path) {
  const auto found = std::find_if(page_files().begin(), page_files().end(), [&](const PageFile& file) { return file.path == path; });
  return found == page_files().end() ? nullptr : &*found;
}

std::string inflated(std::string_view bytes) {
  constexpr int kGzip = 16 + MAX_WBITS;
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) throw RunError("zlib: out of memory");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 65536> piece;
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END) throw RunError("a file of the page is damaged");
  return text;
}

const char* media_type(std::string_view path) {
  constexpr std::pair<std::string_view, const char*> kTypes[] = {{".html", "text/html; charset=utf-8"},
                                                                 {".js", "text/javascript; charset=utf-8"},
                                                                 {".css", "text/css; charset=utf-8"},
                                                                 {".json", "application/json"},
                                                                 {".png", "image/png"},
                                                                 {".jpg", "image/jpeg"},
                                                                 {".svg", "image/svg+xml"},
                                                                 {".ico", "image/x-icon"},
                                                                 {".woff2", "font/woff2"},
                                                                 {".mp4", "video/mp4"},
                                                                 {".webm", "video/webm"},
                                                                 {".gif", "image/gif"},
                                                                 {".toml", "text/plain; charset=utf-8"},
                                                                 {".csv", "text/plain; charset=utf-8"},
                                                                 {".txt", "text/plain; charset=utf-8"}};
  for (const auto& [ending, type] : kTypes)
    if (path.ends_with(ending)) return type;
  return "application/octet-stream";
}

const char* passive_media_type(std::string_view path) {
  constexpr std::string_view kActive[] = {".html", ".js", ".css", ".svg"};
  const bool is_active = std::any_of(std::begin(kActive), std::end(kActive), [&](auto ending) { return path.ends_with(ending); });
  return is_active ? "application/octet-stream" : media_type(path);
}

std::string page_instead() {
  return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"firn-token\" content=\"\"><title>firn studio</title>"
         "</head><body><p>This firn was built without the page. <code>make studio</code> builds it.</p></body></html>\n";
}

std::string with_token(std::string page, const std::string& token) {
  constexpr std::string_view kPlace = "name=\"firn-token\" content=\"";
  if (const std::size_t at = page.find(kPlace); at != std::string::npos) page.insert(at + kPlace.size(), token);
  return page;
}

}  // namespace firn::studio
