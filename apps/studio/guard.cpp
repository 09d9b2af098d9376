#include "guard.h"

#include <algorithm>
#include <cctype>
#include <random>

#include "firn/files.h"

namespace firn::studio {
namespace {

namespace fs = std::filesystem;

std::string new_token() {
  constexpr char kDigits[] = "0123456789abcdef";
  std::random_device random;  // of the system
  std::string token;
  while (token.size() < 32) {
    const unsigned bits = random();
    for (int shift = 0; shift < 32; shift += 4) token += kDigits[(bits >> shift) & 15U];
  }
  return token;
}

bool is_loopback_name(std::string_view host) { return host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with("127."); }

// An address in numbers, which no name server can have sent here.
bool is_address(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) return true;
  return !host.empty() && std::all_of(host.begin(), host.end(), [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; });
}

}  // namespace

Guard::Guard(std::string host, unsigned short port)
    : host_(std::move(host)),
      port_(std::to_string(port)),
      token_(new_token()),
      is_loopback_(is_loopback_name(host_)),
      is_any_(host_ == "0.0.0.0" || host_ == "::") {
  if (host_.find(':') != std::string::npos) host_ = "[" + host_ + "]";
}

bool Guard::is_token(std::string_view given) const {
  unsigned differing = given.size() == token_.size() ? 0 : 1;  // takes as long for any
  for (std::size_t i = 0; i < token_.size(); ++i)
    differing |= static_cast<unsigned char>(token_[i]) ^ static_cast<unsigned char>(given.empty() ? 0 : given[i % given.size()]);
  return differing == 0;
}

bool Guard::is_own_host(std::string_view header) const {
  // Browsers leave the port of HTTP out. An address with colons is in brackets.
  const std::size_t after = header.starts_with('[') ? std::min(header.find(']'), header.size()) : 0;
  const std::size_t colon = std::min(header.find(':', after), header.size());
  const std::string_view name = header.substr(0, colon), port = colon < header.size() ? header.substr(colon + 1) : "80";
  if (port != port_) return false;
  if (name == host_) return true;
  if (is_loopback_) return is_loopback_name(name) && (name == "localhost" || is_address(name));
  return is_any_ && (name == "localhost" || is_address(name));
}

bool Guard::is_own_origin(std::string_view header) const {
  constexpr std::string_view kScheme = "http://";
  return header.starts_with(kScheme) && is_own_host(header.substr(kScheme.size()));
}

std::optional<std::string> unescaped(std::string_view text) {
  const auto digit = [](unsigned char c) { return std::isdigit(c) != 0 ? c - '0' : std::tolower(c) - 'a' + 10; };
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      plain += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const auto high = static_cast<unsigned char>(text[at + 1]), low = static_cast<unsigned char>(text[at + 2]);
    if (std::isxdigit(high) == 0 || std::isxdigit(low) == 0) return std::nullopt;
    plain += static_cast<char>(digit(high) * 16 + digit(low));
    at += 2;
  }
  if (plain.find('\0') != std::string::npos) return std::nullopt;
  return plain;
}

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (const std::size_t equals = pair.find('='); equals != std::string_view::npos && pair.substr(0, equals) == name)
      return unescaped(pair.substr(equals + 1));
  }
  return std::nullopt;
}

std::optional<fs::path> inside(const fs::path& folder, std::string_view name) {
  if (name.empty() || name.size() > 4096 || name.find('\0') != std::string_view::npos || name.find('\\') != std::string_view::npos)
    return std::nullopt;
  const fs::path relative(name);
  if (relative.is_absolute()) return std::nullopt;
  for (const fs::path& part : relative)
    if (part.empty() || part.native().front() == '.') return std::nullopt;
  const fs::path path = folder / relative;
  return is_inside(folder, path) ? std::optional(path) : std::nullopt;
}

}  // namespace firn::studio
