#include <filesystem>
#include <stdexcept>

#include "checks.h"
#include "firn/error.h"
#include "firn/files.h"
#include "guard.h"
#include "protocol.h"

namespace firn::fuzz {
namespace {

using studio::Request;

// Every kind of value under a name that requests use; what is of another kind is refused.
void ask_for_all(const Request& request) {
  const auto try_it = [](const auto& get) {
    try {
      get();
    } catch (const UserError&) {
      // refused
    }
  };
  for (const char* name : {"run", "text", "frame", "show", "origin", "rate", "go", "id", "do"}) {
    try_it([&] { request.text(name); });
    try_it([&] { request.whole(name, -7, 1000); });
    try_it([&] { request.number(name, -1e300, 1e300); });
    try_it([&] { request.flag(name); });
    try_it([&] { request.vector(name); });
    try_it([&] { request.texts(name); });
    try_it([&] { request.frame(name); });
  }
}

}  // namespace

void check_protocol(std::string_view bytes) {
  try {
    const Request request(bytes);
    if (request.id() < 0) throw std::logic_error("an id below zero");
    ask_for_all(request);
    studio::written({{"do", request.what()}});
  } catch (const UserError&) {
    studio::id_of(bytes);
  }
  if (const auto plain = studio::unescaped(bytes); plain && plain->find('\0') != std::string::npos) throw std::logic_error("a zero byte");
  studio::query_value(bytes, "token");
  const std::filesystem::path folder = std::filesystem::current_path();
  if (const auto path = studio::inside(folder, bytes); path && !is_inside(folder, *path)) throw std::logic_error("a path that leads out");
  static const studio::Guard guard("127.0.0.1", 8017);
  if (guard.is_token(bytes)) throw std::logic_error("a token was guessed");
  guard.is_own_host(bytes);
  guard.is_own_origin(bytes);
}

}  // namespace firn::fuzz
