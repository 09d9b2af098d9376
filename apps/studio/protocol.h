// Requests of pages as JSON, and what answers look like (docs/studio.md).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document.h"
#include "firn/scene.h"

namespace firn::studio {

using Json = nlohmann::json;

inline constexpr int kProtocolVersion = 1;
inline constexpr const char* kSubprotocol = "firn.1";

// A request, and what it gives for a name: all of these throw UserError for a value that is missing or of another kind.
class Request {
 public:
  // Throws UserError for what is no request.
  explicit Request(std::string_view text);

  std::int64_t id() const { return id_; }
  const std::string& what() const { return what_; }

  bool has(const char* name) const { return body_.contains(name) && !body_[name].is_null(); }
  std::string text(const char* name) const;
  std::int64_t whole(const char* name, std::int64_t least, std::int64_t most) const;
  double number(const char* name, double least, double most) const;
  bool flag(const char* name) const;  // false where it is not there
  Vector vector(const char* name) const;
  std::vector<std::string> texts(const char* name) const;  // none where it is not there
  // Where it is there.
  std::string text_or(const char* name, const std::string& otherwise) const { return has(name) ? text(name) : otherwise; }
  std::int64_t whole_or(const char* name, std::int64_t least, std::int64_t most, std::int64_t otherwise) const {
    return has(name) ? whole(name, least, most) : otherwise;
  }
  double number_or(const char* name, double least, double most, double otherwise) const {
    return has(name) ? number(name, least, most) : otherwise;
  }
  // A frame's number, or nothing for "live".
  std::optional<int> frame(const char* name) const;

 private:
  const Json& value(const char* name) const;

  Json body_;
  std::int64_t id_ = 0;
  std::string what_;
};

// The id of a text that may be no request, to answer it all the same; 0: there is none.
std::int64_t id_of(std::string_view text);

// As a message; bytes that are no UTF-8 are replaced.
std::string written(const Json& json);

Json error_json(const TextError& error);

}  // namespace firn::studio
