// The program as a page sees it: the real process, real sockets, and a small client of its own that can also misbehave.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/random_snow.h"

namespace firn::test {

using Json = nlohmann::json;

// A connection; closed at its end.
class Socket {
 public:
  explicit Socket(int port);
  ~Socket();
  Socket(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // False: the other side has closed.
  bool write(const std::string& bytes);
  // At least `count` bytes, or fewer where the other side closes or `seconds` pass.
  std::string read(std::size_t count, double seconds = 10);
  // Until the other side closes.
  std::string read_all(double seconds = 10) { return read(std::size_t{1} << 40, seconds); }
  bool is_closed(double seconds = 10);
  void receive_little();  // a small buffer: who does not read blocks the other side soon

 private:
  int socket_;
};

// `firn studio` in a folder of its own, which --folder names unless it is to choose one.
class StudioProcess {
 public:
  explicit StudioProcess(const std::vector<std::string>& more = {}, bool names_folder = true);
  // Ends it by SIGTERM.
  ~StudioProcess();

  int port() const { return port_; }
  const std::string& token() const { return token_; }
  const std::string& line() const { return line_; }  // the first that it printed
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string file(const std::string& name) const { return folder_.file(name); }
  pid_t pid() const { return pid_; }
  double resident_megabytes() const;
  bool is_running() const;
  int stop(int signal);  // its exit code

  // The answer to one request, head and body.
  std::string get(const std::string& target, const std::string& more_fields = "") const;
  std::string request(const std::string& bytes) const;
  static int status_of(const std::string& answer);

 private:
  TempFolder folder_;
  pid_t pid_ = -1;
  int port_ = 0;
  std::string line_, token_;
};

// What a binary message's header says.
struct FrameHeader {
  std::uint8_t kind, run;
  std::uint16_t flags;
  std::uint32_t serial, frame;
  double time;
  std::uint32_t count, what;
  float lower[3], extent[3], least, greatest;
};
FrameHeader header_of(const std::string& message);

class Page {
 public:
  explicit Page(const StudioProcess& studio, const std::string& token = "", const std::string& fields = "");

  bool is_open() const { return is_open_; }
  const std::string& answer() const { return answer_; }  // to the handshake
  // Sends a command and gives the answer; what comes before it is kept.
  Json ask(const std::string& what, Json fields = Json::object(), double seconds = 30);
  void tell(const std::string& what, Json fields = Json::object());
  // How many of these were answered by now or in the next `seconds`: they were sent by tell(), one after the other, and this counts once.
  std::size_t answered(std::size_t sent, double seconds = 10);
  // The next event of that name for which `key` is `value`, where one is given.
  std::optional<Json> event(const std::string& name, const std::string& key = "", const Json& value = {}, double seconds = 30);
  // The next binary message; empty: none came.
  std::string binary(double seconds = 30);
  void send_frame(int opcode, const std::string& payload, bool is_masked = true);
  Socket& socket() { return socket_; }

 private:
  // One message to where it belongs; false: none came.
  bool take(double seconds);

  Socket socket_;
  std::string answer_, buffer_;
  bool is_open_ = false;
  std::int64_t next_id_ = 1;
  std::vector<Json> events_, answers_;
  std::vector<std::string> binary_;
};

}  // namespace firn::test
