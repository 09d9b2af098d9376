#include "server.h"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "firn/error.h"
#include "guard.h"
#include "page.h"
#include "protocol.h"
#include "studio.h"
#include "transfers.h"

namespace firn::studio {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
namespace net = boost::asio;
namespace fs = std::filesystem;
using tcp = net::ip::tcp;
using Failure = beast::error_code;

constexpr std::size_t kLongestHeader = 16 << 10;  // bytes
constexpr int kUploadSeconds = 300, kAnswerSeconds = 120;
// What all connections share.
struct Shared {
  Guard guard;
  fs::path folder;
  Studio* studio = nullptr;
  std::size_t connections = 0;
};

// Counts itself as long as it lives.
class Counted {
 public:
  explicit Counted(Shared& shared) : shared_(shared) { ++shared_.connections; }
  ~Counted() { --shared_.connections; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  Shared& shared_;
};

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

// A page's WebSocket.
class Page : public Client, public std::enable_shared_from_this<Page> {
 public:
  Page(tcp::socket socket, Shared& shared, std::shared_ptr<Counted> counted)
      : stream_(std::move(socket)), shared_(shared), counted_(std::move(counted)) {}

  void start(http::request<http::empty_body> request) {
    request_ = std::move(request);
    stream_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    stream_.set_option(websocket::stream_base::decorator(
        [](websocket::response_type& answer) { answer.set(http::field::sec_websocket_protocol, kSubprotocol); }));
    stream_.read_message_max(kLongestMessage);
    stream_.auto_fragment(false);  // a message is one frame
    stream_.async_accept(request_, [self = shared_from_this()](Failure failure) {
      if (failure) return;
      self->member_ = self->shared_.studio->join(self);
      self->read();
    });
  }

  void send_text(std::string text) override { send({false, std::make_shared<const std::string>(std::move(text))}); }
  void send_binary(std::shared_ptr<const std::string> bytes) override { send({true, std::move(bytes)}); }

 private:
  struct Message {
    bool is_binary;
    std::shared_ptr<const std::string> bytes;
  };

  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](Failure failure, std::size_t) {
      if (failure) return self->leave();
      if (!self->stream_.got_text()) return self->drop();
      const std::string text = beast::buffers_to_string(self->buffer_.data());
      self->buffer_.consume(self->buffer_.size());
      self->shared_.studio->receive(self->member_, text);
      if (self->member_ != 0) self->read();
    });
  }

  // One that sends and does not read is told no more.
  void send(Message message) {
    if (member_ == 0 || is_dropped_) return;
    waiting_bytes_ += message.bytes->size();
    waiting_.push_back(std::move(message));
    const bool is_alone = waiting_.size() == 1;
    if (waiting_bytes_ > kLongestQueue + waiting_.front().bytes->size() || waiting_.size() > kMostQueued) return drop();
    if (is_alone) write();
  }

  void write() {
    stream_.binary(waiting_.front().is_binary);
    stream_.async_write(net::buffer(*waiting_.front().bytes), [self = shared_from_this()](Failure failure, std::size_t) {
      if (failure) return self->leave();
      self->waiting_bytes_ -= self->waiting_.front().bytes->size();
      self->waiting_.pop_front();
      if (!self->waiting_.empty()) self->write();
    });
  }

  // The desk may be in the middle of telling everybody something.
  void drop() {
    is_dropped_ = true;
    net::post(stream_.get_executor(), [self = shared_from_this()] { self->leave(); });
    Failure ignored;
    stream_.next_layer().socket().close(ignored);
  }
  void leave() {
    if (const int member = std::exchange(member_, 0); member != 0) shared_.studio->leave(member);
  }

  websocket::stream<beast::tcp_stream> stream_;
  Shared& shared_;
  std::shared_ptr<Counted> counted_;
  http::request<http::empty_body> request_;
  beast::flat_buffer buffer_;
  std::deque<Message> waiting_;  // the first is being written
  std::size_t waiting_bytes_ = 0;
  int member_ = 0;
  bool is_dropped_ = false;
};

// A connection until it is closed or becomes a page.
class Visitor : public std::enable_shared_from_this<Visitor> {
 public:
  Visitor(tcp::socket socket, Shared& shared) : stream_(std::move(socket)), shared_(shared), counted_(std::make_shared<Counted>(shared)) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(kLongestHeader);
    parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // bodies are not read but where they are wanted
    stream_.expires_after(std::chrono::seconds(kHeaderSeconds));
    http::async_read_header(stream_, buffer_, *parser_, [self = shared_from_this()](Failure failure, std::size_t) {
      if (failure) return self->close();
      self->stream_.expires_after(std::chrono::seconds(kAnswerSeconds));
      try {
        self->route();
      } catch (const std::exception&) {
        self->refuse(http::status::internal_server_error);
      }
    });
  }

 private:
  using Header = http::request<http::empty_body>;

  const Header& request() const { return parser_->get(); }

  // A field that is there twice is nobody's.
  std::string_view only(http::field name) const {
    const auto [begin, end] = request().equal_range(name);
    return std::distance(begin, end) == 1 ? view(begin->value()) : std::string_view();
  }

  bool is_allowed() const {
    if (!shared_.guard.is_own_host(only(http::field::host))) return false;
    return request().count(http::field::origin) == 0 || shared_.guard.is_own_origin(only(http::field::origin));
  }

  void route() {
    const std::optional<Target> target = target_of(view(request().target()));
    if (!is_allowed()) return refuse(http::status::forbidden);
    if (!target) return refuse(http::status::bad_request);
    const std::optional<std::string> token = query_value(target->query, "token");
    const bool has_token = token && shared_.guard.is_token(*token);
    if (websocket::is_upgrade(request())) {
      if (target->path != "/ws") return refuse(http::status::not_found);
      if (!has_token) return refuse(http::status::forbidden);
      if (!offers_protocol()) return refuse(http::status::bad_request);
      if (shared_.studio->pages() >= kMostPages) return refuse(http::status::service_unavailable);
      stream_.expires_never();
      return std::make_shared<Page>(stream_.release_socket(), shared_, counted_)->start(parser_->release());
    }
    const http::verb verb = request().method();
    if (verb == http::verb::put && target->path.starts_with("/upload/")) {
      if (!has_token) return refuse(http::status::forbidden);
      return receive_upload(target->path.substr(8));
    }
    if (verb != http::verb::get && verb != http::verb::head) return refuse(http::status::method_not_allowed);
    if (target->path.starts_with("/files/")) {
      if (!has_token) return refuse(http::status::forbidden);
      return send_file(target->path.substr(7));
    }
    send_page(target->path);
  }

  bool offers_protocol() const {
    const auto offered = http::token_list(request()[http::field::sec_websocket_protocol]);
    return std::any_of(offered.begin(), offered.end(), [](const auto& name) { return view(name) == kSubprotocol; });
  }

  template <class Answer>
  void finish(Answer& answer) {
    answer.version(request().version());
    answer.keep_alive(request().keep_alive() && parser_->is_done() && !websocket::is_upgrade(request()));
    answer.set(http::field::server, "firn");
    for (const auto& [name, value] : kAnswerHeaders) answer.set(name, value);
    if (answer.count(http::field::cache_control) == 0) answer.set(http::field::cache_control, "no-store");
  }

  template <class Body>
  void send(http::response<Body> answer) {
    finish(answer);
    const auto kept = std::make_shared<http::response<Body>>(std::move(answer));
    const auto serializer = std::make_shared<http::response_serializer<Body>>(*kept);
    const auto done = [self = shared_from_this(), kept, serializer](Failure failure, std::size_t) {
      if (failure || !kept->keep_alive()) return self->close();
      self->read();
    };
    if (request().method() == http::verb::head) {
      serializer->split(true);
      http::async_write_header(stream_, *serializer, done);
    } else {
      http::async_write(stream_, *serializer, done);
    }
  }

  void send_text(http::status status, const char* type, std::string text, const char* cache = "no-store", bool is_gzip = false) {
    http::response<http::string_body> answer;
    answer.result(status);
    answer.set(http::field::content_type, type);
    answer.set(http::field::cache_control, cache);
    if (is_gzip) answer.set(http::field::content_encoding, "gzip");
    answer.body() = std::move(text);
    answer.prepare_payload();
    send(std::move(answer));
  }

  void refuse(http::status status) { send_text(status, "text/plain", std::string(view(http::obsolete_reason(status))) + "\n"); }

  void send_page(const std::string& path) {
    const bool takes_gzip = view(request()[http::field::accept_encoding]).find("gzip") != std::string_view::npos;
    auto page = page_answer(path, takes_gzip, shared_.guard.is_loopback() ? shared_.guard.token() : "");
    if (!page) return refuse(http::status::not_found);
    send_text(http::status::ok, page->type, std::move(page->bytes), page->cache, page->is_gzip);
  }

  void send_file(const std::string& name) {
    const std::optional<fs::path> path = inside(shared_.folder, name);
    std::error_code no_file;
    if (!path || !fs::is_regular_file(*path, no_file)) return refuse(http::status::not_found);
    if (const std::string_view range = view(request()[http::field::range]); !range.empty()) return send_piece(*path, std::string(range));
    http::response<http::file_body> answer;
    Failure failure;
    answer.body().open(path->c_str(), beast::file_mode::scan, failure);
    if (failure) return refuse(http::status::not_found);
    answer.set(http::field::content_type, passive_media_type(name));
    answer.set(http::field::accept_ranges, "bytes");
    answer.prepare_payload();
    send(std::move(answer));
  }

  void send_piece(const fs::path& path, const std::string& range) {
    std::optional<Piece> piece = read_piece(path, range);
    if (!piece) return refuse(http::status::range_not_satisfiable);
    http::response<http::string_body> answer;
    answer.result(http::status::partial_content);
    answer.set(http::field::content_type, passive_media_type(path.string()));
    answer.set(http::field::accept_ranges, "bytes");
    answer.set(http::field::content_range, "bytes " + std::to_string(piece->from) + "-" +
                                               std::to_string(piece->from + piece->bytes.size() - 1) + "/" + std::to_string(piece->size));
    answer.body() = std::move(piece->bytes);
    answer.prepare_payload();
    send(std::move(answer));
  }

  void receive_upload(const std::string& name) {
    const std::optional<fs::path> path = upload_path(shared_.folder, name);
    if (!path) return refuse(http::status::bad_request);
    if (const auto length = parser_->content_length(); length && *length > kLargestUpload) return refuse(http::status::payload_too_large);
    std::error_code no_folder;
    fs::create_directories(path->parent_path(), no_folder);
    const auto upload = std::make_shared<http::request_parser<http::file_body>>(std::move(*parser_));
    upload->body_limit(kLargestUpload);
    const fs::path fresh = path->parent_path() / (".upload_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));
    Failure failure;
    upload->get().body().open(fresh.c_str(), beast::file_mode::write_new, failure);
    parser_.emplace();
    if (failure) return refuse(http::status::internal_server_error);
    stream_.expires_after(std::chrono::seconds(kUploadSeconds));
    http::async_read(stream_, buffer_, *upload, [self = shared_from_this(), upload, fresh, path = *path](Failure problem, std::size_t) {
      upload->get().body().close();
      std::error_code ignored;
      if (problem) {
        fs::remove(fresh, ignored);
        if (problem == http::error::body_limit) return self->refuse(http::status::payload_too_large);
        return self->close();
      }
      const std::optional<fs::path> kept = keep_upload(fresh, path);
      if (!kept) return self->refuse(http::status::internal_server_error);
      self->send_text(http::status::ok, "application/json", written(Json{{"file", "uploads/" + kept->filename().string()}}));
    });
  }

  void close() {
    Failure ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  beast::tcp_stream stream_;
  Shared& shared_;
  std::shared_ptr<Counted> counted_;
  beast::flat_buffer buffer_{kLongestHeader + (64 << 10)};
  std::optional<http::request_parser<http::empty_body>> parser_;
};

}  // namespace

struct Server::Parts {
  std::optional<Shared> shared;  // outlives the connections, which the context has
  net::io_context context{1};
  tcp::acceptor acceptor{context};
  std::string host;

  void accept() {
    acceptor.async_accept([this](Failure failure, tcp::socket socket) {
      if (failure == net::error::operation_aborted) return;
      if (!failure) {
        ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
        Failure ignored;  // an answer right after an event is not to wait for the page to say that it has the event
        socket.set_option(tcp::no_delay(true), ignored);
        if (shared->connections < kMostConnections) std::make_shared<Visitor>(std::move(socket), *shared)->read();
      }
      accept();
    });
  }
};

Server::Server(const ServerOptions& options) : parts_(std::make_unique<Parts>()) {
  const auto fail = [&](const std::string& why) {
    throw UserError("cannot listen on " + options.host + ", port " + std::to_string(options.port) + ": " + why);
  };
  Failure failure;
  const net::ip::address address = net::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, failure);
  if (failure) fail("the host must be an address such as 127.0.0.1");
  const tcp::endpoint endpoint(address, static_cast<unsigned short>(options.port));
  tcp::acceptor& acceptor = parts_->acceptor;
  acceptor.open(endpoint.protocol(), failure);
  if (failure) fail(failure.message());
  ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  acceptor.set_option(net::socket_base::reuse_address(true), failure);
  acceptor.bind(endpoint, failure);
  if (!failure) acceptor.listen(net::socket_base::max_listen_connections, failure);
  if (failure == net::error::address_in_use) fail("another program listens there; --port chooses another one");
  if (failure) fail(failure.message());
  parts_->host = address.to_string();
  parts_->shared.emplace(Shared{Guard(parts_->host, acceptor.local_endpoint().port()), options.folder});
}

Server::~Server() = default;

std::string Server::address() const {
  return address_at(parts_->shared->guard.is_any() ? (parts_->host == "::" ? "::1" : "127.0.0.1") : parts_->host);
}

std::string Server::address_elsewhere() const { return parts_->shared->guard.is_any() ? address_at("ADDRESS") : ""; }

std::string Server::address_at(const std::string& host) const {
  const bool is_long = host.find(':') != std::string::npos;
  const Guard& guard = parts_->shared->guard;
  return "http://" + (is_long ? "[" + host + "]" : host) + ":" + std::to_string(parts_->acceptor.local_endpoint().port()) + "/" +
         (guard.is_loopback() ? "" : "#token=" + guard.token());
}

void Server::run(Studio& studio) {
  parts_->shared->studio = &studio;
  net::signal_set signals(parts_->context, SIGINT, SIGTERM);
  signals.async_wait([this](Failure failure, int) {
    if (!failure) parts_->context.stop();
  });
  parts_->accept();
  while (!parts_->context.stopped()) {
    try {
      parts_->context.run();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "warning: %s\n", error.what());  // of one page; the others go on
    }
  }
  Failure ignored;
  parts_->acceptor.close(ignored);
}

void Server::post(std::function<void()> work) { net::post(parts_->context, std::move(work)); }

}  // namespace firn::studio
