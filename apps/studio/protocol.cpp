#include "protocol.h"

#include <cmath>

#include "firn/error.h"

namespace firn::studio {
namespace {

constexpr std::int64_t kLargestId = std::int64_t{1} << 53;

[[noreturn]] void reject(const char* name, const std::string& must_be) {
  throw UserError("'" + std::string(name) + "' must be " + must_be);
}

// A number that is whole, however it is written.
std::optional<std::int64_t> whole_of(const Json& value) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(kLargestId)) return std::nullopt;
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const double number = value.get<double>();
  if (!(std::abs(number) <= static_cast<double>(kLargestId)) || number != std::floor(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace

Request::Request(std::string_view text) : body_(Json::parse(text, nullptr, false)) {
  if (body_.is_discarded()) throw UserError("a message must be JSON");
  if (!body_.is_object()) throw UserError("a message must be a JSON object");
  id_ = whole("id", 0, kLargestId);
  what_ = this->text("do");
}

const Json& Request::value(const char* name) const {
  const auto found = body_.find(name);
  if (found == body_.end()) throw UserError("'" + std::string(name) + "' is missing");
  return *found;
}

std::string Request::text(const char* name) const {
  const Json& found = value(name);
  if (!found.is_string()) reject(name, "a text");
  return found.get<std::string>();
}

std::int64_t Request::whole(const char* name, std::int64_t least, std::int64_t most) const {
  const std::optional<std::int64_t> number = whole_of(value(name));
  if (!number || *number < least || *number > most)
    reject(name, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return *number;
}

double Request::number(const char* name, double least, double most) const {
  const Json& found = value(name);
  const double number = found.is_number() ? found.get<double>() : std::nan("");
  if (!(number >= least && number <= most)) reject(name, "a number from " + Json(least).dump() + " to " + Json(most).dump());
  return number;
}

bool Request::flag(const char* name) const {
  if (!has(name)) return false;
  const Json& found = value(name);
  if (!found.is_boolean()) reject(name, "true or false");
  return found.get<bool>();
}

Vector Request::vector(const char* name) const {
  const Json& found = value(name);
  Vector vector{};
  if (!found.is_array() || found.size() != 3) reject(name, "three numbers");
  for (std::size_t d = 0; d < 3; ++d) {
    if (!found[d].is_number() || !std::isfinite(found[d].get<double>())) reject(name, "three numbers");
    vector[d] = found[d].get<double>();
  }
  return vector;
}

std::vector<std::string> Request::texts(const char* name) const {
  constexpr std::size_t kMost = 16;
  if (!has(name)) return {};
  const Json& found = value(name);
  std::vector<std::string> all;
  if (!found.is_array() || found.size() > kMost) reject(name, "a short list of texts");
  for (const Json& one : found) {
    if (!one.is_string()) reject(name, "a short list of texts");
    all.push_back(one.get<std::string>());
  }
  return all;
}

std::optional<int> Request::frame(const char* name) const {
  constexpr int kMostFrames = 1'000'000;
  if (!has(name)) return std::nullopt;
  if (value(name).is_string() && text(name) == "live") return std::nullopt;
  return static_cast<int>(whole(name, 0, kMostFrames));
}

std::int64_t id_of(std::string_view text) {
  const Json body = Json::parse(text, nullptr, false);
  if (!body.is_object() || !body.contains("id")) return 0;
  return whole_of(body["id"]).value_or(0);
}

std::string written(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json error_json(const TextError& error) {
  Json json{{"message", error.message}};
  if (error.line > 0) json.update({{"line", error.line}, {"column", error.column}});
  return json;
}

}  // namespace firn::studio
