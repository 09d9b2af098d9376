#include "client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

namespace firn::test {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

Socket::Socket(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}
Socket::~Socket() {
  if (socket_ >= 0) ::close(socket_);
}
Socket::Socket(Socket&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

void Socket::receive_little() {
  const int bytes = 4096;
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

bool Socket::write(const std::string& bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t written = ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (written <= 0) return false;
    at += static_cast<std::size_t>(written);
  }
  return true;
}

std::string Socket::read(std::size_t count, double seconds) {
  const auto begin = Clock::now();
  std::string bytes;
  while (bytes.size() < count) {
    const int left = static_cast<int>(1000 * (seconds - seconds_since(begin)));
    pollfd waiting{socket_, POLLIN, 0};
    if (::poll(&waiting, 1, std::max(0, left)) <= 0) return bytes;
    char piece[65536];
    const ssize_t got = ::recv(socket_, piece, std::min(count - bytes.size(), sizeof(piece)), 0);
    if (got <= 0) return bytes;
    bytes.append(piece, static_cast<std::size_t>(got));
  }
  return bytes;
}

bool Socket::is_closed(double seconds) {
  const auto begin = Clock::now();
  while (seconds_since(begin) < seconds) {
    pollfd waiting{socket_, POLLIN, 0};
    if (::poll(&waiting, 1, 100) <= 0) continue;
    char piece[4096];
    if (::recv(socket_, piece, sizeof(piece), 0) <= 0) return true;
  }
  return false;
}

StudioProcess::StudioProcess(const std::vector<std::string>& more, bool names_folder) {
  int pipe[2];
  EXPECT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  std::vector<std::string> arguments{FIRN_PROGRAM, "studio", "--no-open", "--port", "0", "--threads", "2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  if (names_folder) arguments.insert(arguments.end(), {"--folder", folder_.file("")});
  pid_ = ::fork();
  if (pid_ == 0) {
    std::vector<char*> argv;
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    ::dup2(pipe[1], STDOUT_FILENO);
    ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
    ::execv(FIRN_PROGRAM, argv.data());
    ::_exit(127);
  }
  ::close(pipe[1]);
  std::string& line = line_;
  for (char c; ::read(pipe[0], &c, 1) == 1 && c != '\n';) line += c;
  ::fcntl(pipe[0], F_SETFD, FD_CLOEXEC);  // stays open: the program goes on printing
  const std::size_t colon = line.rfind(':');
  EXPECT_NE(colon, std::string::npos) << line;
  if (colon == std::string::npos) return;
  port_ = std::atoi(line.c_str() + colon + 1);
  const std::string page = get("/"), place = "name=\"firn-token\" content=\"";
  const std::size_t at = page.find(place);
  EXPECT_NE(at, std::string::npos) << page;
  if (at != std::string::npos) token_ = page.substr(at + place.size(), page.find('"', at + place.size()) - at - place.size());
}

StudioProcess::~StudioProcess() {
  if (pid_ > 0) stop(SIGTERM);
}

int StudioProcess::stop(int signal) {
  ::kill(pid_, signal);
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool StudioProcess::is_running() const {
  int status = 0;
  return ::waitpid(pid_, &status, WNOHANG) == 0;
}

double StudioProcess::resident_megabytes() const {
  std::ifstream in("/proc/" + std::to_string(pid_) + "/statm");
  double all = 0, resident = 0;
  in >> all >> resident;
  return resident * 4096 / 1e6;
}

std::string StudioProcess::request(const std::string& bytes) const {
  Socket socket(port_);
  socket.write(bytes);
  return socket.read_all();
}

std::string StudioProcess::get(const std::string& target, const std::string& more_fields) const {
  return request("GET " + target + " HTTP/1.1\r\nHost: " + host() + "\r\nConnection: close\r\n" + more_fields + "\r\n");
}

int StudioProcess::status_of(const std::string& answer) { return answer.size() > 12 ? std::atoi(answer.c_str() + 9) : 0; }

FrameHeader header_of(const std::string& message) {
  FrameHeader header{};
  if (message.size() < 64) return header;
  const auto get = [&](std::size_t at, auto& value) { std::memcpy(&value, message.data() + at, sizeof(value)); };
  get(4, header.kind);
  get(5, header.run);
  get(6, header.flags);
  get(8, header.serial);
  get(12, header.frame);
  get(16, header.time);
  get(24, header.count);
  get(28, header.what);
  get(32, header.lower);
  get(44, header.extent);
  get(56, header.least);
  get(60, header.greatest);
  return header;
}

Page::Page(const StudioProcess& studio, const std::string& token, const std::string& fields) : socket_(studio.port()) {
  const std::string own = fields.empty() ? "Host: " + studio.host() + "\r\nOrigin: http://" + studio.host() + "\r\n" : fields;
  socket_.write("GET /ws?token=" + (token.empty() ? studio.token() : token) + " HTTP/1.1\r\n" + own +
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: firn.1\r\n\r\n");
  while (answer_.find("\r\n\r\n") == std::string::npos) {
    const std::string more = socket_.read(1);
    if (more.empty()) return;
    answer_ += more;
  }
  is_open_ = StudioProcess::status_of(answer_) == 101;
}

void Page::send_frame(int opcode, const std::string& payload, bool is_masked) {
  std::string bytes(1, static_cast<char>(0x80 | opcode));
  const int mask = is_masked ? 0x80 : 0;
  const std::size_t size = payload.size();
  if (size < 126) {
    bytes += static_cast<char>(mask | static_cast<int>(size));
  } else {
    const int length = size < 65536 ? 2 : 8;
    bytes += static_cast<char>(mask | (length == 2 ? 126 : 127));
    for (int k = length - 1; k >= 0; --k) bytes += static_cast<char>((size >> (8 * k)) & 255);
  }
  if (is_masked) bytes += std::string(4, '\0');  // a mask of zeros is one, too
  socket_.write(bytes + payload);
}

void Page::tell(const std::string& what, Json fields) {
  fields["id"] = next_id_++;
  fields["do"] = what;
  send_frame(1, fields.dump());
}

bool Page::take(double seconds) {
  const auto begin = Clock::now();
  const auto need = [&](std::size_t count) {
    if (buffer_.size() < count) buffer_ += socket_.read(count - buffer_.size(), std::max(0.0, seconds - seconds_since(begin)));
    return buffer_.size() >= count;
  };
  if (!need(2)) return false;
  const int opcode = buffer_[0] & 15;
  std::size_t size = buffer_[1] & 127, head = 2;
  if (size >= 126) {
    const std::size_t length = size == 126 ? 2 : 8;
    if (!need(2 + length)) return false;
    size = 0;
    for (std::size_t k = 0; k < length; ++k) size = size << 8 | static_cast<unsigned char>(buffer_[2 + k]);
    head += length;
  }
  if (!need(head + size)) return false;
  const std::string payload = buffer_.substr(head, size);
  buffer_.erase(0, head + size);
  if (opcode == 2) binary_.push_back(payload);
  if (opcode == 9) send_frame(10, payload);
  if (opcode == 8) is_open_ = false;
  if (opcode == 1) {
    Json json = Json::parse(payload);
    (json.contains("event") ? events_ : answers_).push_back(std::move(json));
  }
  return opcode != 8;
}

Json Page::ask(const std::string& what, Json fields, double seconds) {
  const std::int64_t id = next_id_;
  tell(what, std::move(fields));
  const auto begin = Clock::now();
  while (true) {
    for (auto at = answers_.begin(); at != answers_.end(); ++at)
      if ((*at)["id"] == id) {
        const Json answer = *at;
        answers_.erase(at);
        return answer;
      }
    if (!take(seconds - seconds_since(begin))) return {{"error", {{"message", "no answer to " + what}}}};
  }
}

std::size_t Page::answered(std::size_t sent, double seconds) {
  const auto begin = Clock::now();
  while (answers_.size() < sent && take(seconds - seconds_since(begin))) {
  }
  return std::exchange(answers_, {}).size();
}

std::optional<Json> Page::event(const std::string& name, const std::string& key, const Json& value, double seconds) {
  const auto begin = Clock::now();
  while (true) {
    for (auto at = events_.begin(); at != events_.end(); ++at)
      if ((*at)["event"] == name && (key.empty() || (*at)[key] == value)) {
        const Json found = *at;
        events_.erase(events_.begin(), at + 1);
        return found;
      }
    if (!take(seconds - seconds_since(begin))) return std::nullopt;
  }
}

std::string Page::binary(double seconds) {
  const auto begin = Clock::now();
  while (binary_.empty())
    if (!take(seconds - seconds_since(begin))) return {};
  const std::string message = binary_.front();
  binary_.erase(binary_.begin());
  return message;
}

}  // namespace firn::test
