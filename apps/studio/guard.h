// Who may ask, and for which files: the token, the names a request may use for this server, and paths that stay in the work folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace firn::studio {

// What a page may take.
inline constexpr std::size_t kMostConnections = 64;
inline constexpr std::size_t kMostPages = 32;                          // of them, so that others can still ask for files
inline constexpr std::size_t kLongestMessage = std::size_t{1} << 20;   // bytes
inline constexpr std::size_t kLargestUpload = std::size_t{256} << 20;  // bytes
inline constexpr std::size_t kLongestQueue = std::size_t{64} << 20;    // bytes that a page has not read yet
inline constexpr std::size_t kMostQueued = 4096;                       // messages likewise
inline constexpr int kHeaderSeconds = 5;
inline constexpr std::size_t kMostRuns = 8;
inline constexpr std::size_t kMostClosing = 64;  // of runs that were closed and have not ended yet
inline constexpr int kMostAtWork = 16;           // requests of one page that take long

// What every answer forbids browsers to do with it: load or send anything elsewhere, frame it, guess its type.
inline constexpr std::pair<const char*, const char*> kAnswerHeaders[] = {
    {"Content-Security-Policy",
     "default-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; "
     "worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"X-Frame-Options", "DENY"}};

class Guard {
 public:
  // `host` is the address the server listens on.
  Guard(std::string host, unsigned short port);

  const std::string& token() const { return token_; }
  bool is_loopback() const { return is_loopback_; }
  // Whether it listens on all addresses of this machine.
  bool is_any() const { return is_any_; }
  bool is_token(std::string_view given) const;
  // Whether the Host of a request names this server: a foreign name that was made to lead here is none of its own.
  bool is_own_host(std::string_view header) const;
  // Whether the Origin of a request is a page of this server.
  bool is_own_origin(std::string_view header) const;

 private:
  std::string host_, port_, token_;
  bool is_loopback_, is_any_;
};

// "token" of "a=b&token=c", percent signs undone; nothing: it is not there.
std::optional<std::string> query_value(std::string_view query, std::string_view name);
// Percent signs undone; nothing: they are not followed by two digits, or there is a zero byte.
std::optional<std::string> unescaped(std::string_view text);

// The path of `name` in the folder; nothing: it is absolute, has empty, hidden or ".." parts, or leads out by a link. What is not there yet
// counts by the folders on its way that are.
std::optional<std::filesystem::path> inside(const std::filesystem::path& folder, std::string_view name);

}  // namespace firn::studio
