#include "transfers.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "guard.h"
#include "page.h"

namespace firn::studio {

namespace fs = std::filesystem;

std::optional<Target> target_of(std::string_view text) {
  const std::size_t mark = std::min(text.find('?'), text.size());
  std::optional<std::string> path = unescaped(text.substr(0, mark));
  if (!path || !path->starts_with('/')) return std::nullopt;
  return Target{std::move(*path), std::string(text.substr(std::min(mark + 1, text.size())))};
}

std::optional<PageAnswer> page_answer(const std::string& path, bool takes_gzip, const std::string& token) {
  const bool is_start = path == "/";
  const PageFile* file = find_page_file(is_start ? "/index.html" : path);
  if (file == nullptr && !is_start) return std::nullopt;
  if (is_start) {
    const std::string page = file == nullptr ? page_instead() : file->is_gzip ? inflated(file->bytes) : std::string(file->bytes);
    return PageAnswer{with_token(page, token), media_type("/index.html"), "no-store", false};
  }
  const bool is_gzip = file->is_gzip && takes_gzip;
  const bool is_fixed = path.starts_with("/assets/");  // their names change with them
  return PageAnswer{file->is_gzip && !takes_gzip ? inflated(file->bytes) : std::string(file->bytes), media_type(path),
                    is_fixed ? "public, max-age=31536000, immutable" : "no-cache", is_gzip};
}

std::optional<Piece> read_piece(const fs::path& path, const std::string& range) {
  constexpr std::uint64_t kLargest = 8 << 20;  // bytes
  std::error_code no_file;
  const std::uint64_t size = fs::file_size(path, no_file);
  unsigned long long from = 0, to = 0;
  const int parts = std::sscanf(range.c_str(), "bytes=%llu-%llu", &from, &to);
  if (no_file || parts < 1 || from >= size) return std::nullopt;
  if (parts < 2 || to >= size) to = size - 1;
  if (to < from) return std::nullopt;
  std::string bytes(std::min<std::uint64_t>(to - from + 1, kLargest), '\0');
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(from));
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return std::nullopt;
  return Piece{from, size, std::move(bytes)};
}

std::optional<fs::path> upload_path(const fs::path& folder, const std::string& name) {
  constexpr std::string_view kEndings[] = {".obj", ".ply", ".stl", ".glb", ".gltf", ".vdb", ".mtl", ".bin"};
  constexpr std::size_t kLongestName = 200;
  std::string ending = fs::path(name).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  const bool is_known = std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
  const bool is_plain =
      name.find('/') == std::string::npos && std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < ' '; });
  if (!is_known || !is_plain || name.size() > kLongestName) return std::nullopt;
  return inside(folder, "uploads/" + name);
}

bool write_new(const fs::path& path, const std::string& bytes) {
  std::error_code ignored;
  fs::remove(path, ignored);  // of one that was cut off
  std::FILE* const file = std::fopen(path.c_str(), "wbx");
  if (file == nullptr) return false;
  const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (std::fclose(file) == 0 && is_written) return true;
  fs::remove(path, ignored);
  return false;
}

std::optional<fs::path> keep_upload(const fs::path& arrived, const fs::path& path) {
  std::error_code failure;
  fs::path to = path;
  for (int number = 2; fs::exists(fs::symlink_status(to, failure)); ++number)
    to = path.parent_path() / (path.stem().string() + "_" + std::to_string(number) + path.extension().string());
  fs::rename(arrived, to, failure);
  return failure ? std::nullopt : std::optional(to);
}

}  // namespace firn::studio
