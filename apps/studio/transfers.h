// Files on their way to pages and from them, apart from how they travel.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace firn::studio {

// A request's path and what follows its question mark.
struct Target {
  std::string path, query;
};
// Nothing: it is no path, or its percent signs are wrong.
std::optional<Target> target_of(std::string_view text);

// A file of the page as it is sent.
struct PageAnswer {
  std::string bytes;
  const char* type;
  const char* cache;
  bool is_gzip;
};
// `token` is written into the page itself; empty: whoever opens it has it already. Nothing: there is no such file.
std::optional<PageAnswer> page_answer(const std::string& path, bool takes_gzip, const std::string& token);

// A part of a file.
struct Piece {
  std::uint64_t from, size;  // of the file
  std::string bytes;
};
// "bytes=FROM-TO" or "bytes=FROM-"; of a long piece its beginning, as browsers that show films understand. Nothing: there is no such part.
std::optional<Piece> read_piece(const std::filesystem::path& path, const std::string& range);

// Where an upload of this name belongs; nothing: it is no plain name of a mesh or volume.
std::optional<std::filesystem::path> upload_path(const std::filesystem::path& folder, const std::string& name);
// Writes a file that is not there yet, through no link; what an earlier try left goes. False: it cannot be written.
bool write_new(const std::filesystem::path& path, const std::string& bytes);
// Gives a file that has arrived its name, or that with the first number that is free. Nothing: it cannot be.
std::optional<std::filesystem::path> keep_upload(const std::filesystem::path& arrived, const std::filesystem::path& path);

}  // namespace firn::studio
