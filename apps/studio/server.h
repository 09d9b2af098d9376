// HTTP and WebSocket on one port. Boost.Beast stays behind this header.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>  // before Boost.Asio, which needs it and does not say so

namespace firn::studio {

class Studio;

struct ServerOptions {
  std::string host;
  int port = 0;  // 0: a free one
  std::filesystem::path folder;
};

class Server {
 public:
  // Listens from now on. Throws UserError when it cannot.
  explicit Server(const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // What to open in a browser; with the token where the page cannot have it.
  std::string address() const;
  // The same from other machines, where it listens on all addresses of this one; empty: on one alone.
  std::string address_elsewhere() const;
  // Serves pages, and does what is posted, on this thread, until SIGINT or SIGTERM.
  void run(Studio& studio);
  // From any thread.
  void post(std::function<void()> work);

 private:
  std::string address_at(const std::string& host) const;

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace firn::studio
