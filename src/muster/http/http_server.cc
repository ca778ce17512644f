#include "muster/http/http_server.h"

// Boost 1.74 uses std::exchange and does not include <utility>, so a header that does stands before it.
#include <fmt/format.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "muster/core/error.h"

namespace muster::service {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Body = http::vector_body<std::uint8_t, wire::WipingAllocator<std::uint8_t>>;
using asio::ip::tcp;
using boost::system::error_code;
// asio calls an executor of this very type directly, without allocating anything for it.
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Stream = beast::basic_stream<tcp, Executor>;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;

// What all connections of a server share.
struct Shared {
  HttpLimits limits;
  HttpServer::BodyLimit body_limit;
  HttpServer::Handler handler;
  std::atomic<std::size_t> connections{0};
  std::atomic<std::size_t> owed{0};  // requests that were handed to the handler and are not answered yet
  std::atomic<bool> stopping{false};
};

// One connection. It lives as long as one of its operations is pending.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Socket socket, Shared& shared)
      : shared_(shared), stream_(std::move(socket)), buffer_(shared.limits.header + kReadAhead) {
    ++shared_.connections;
  }
  ~Connection() { --shared_.connections; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read() {
    if (shared_.stopping) return;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(shared_.limits.header));
    parser_->body_limit(std::uint64_t{1} << 40);  // after_header() bounds it by the path
    parser_->eager(false);
    expires_after(shared_.limits.idle_seconds);
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code e, std::size_t) { self->after_header(e); });
  }

 private:
  static constexpr std::size_t kReadAhead = 65536;
  static constexpr std::chrono::seconds kLinger{2};
  using Parser = http::request_parser<Body>;

  // An answer that the handler owes. If the handler drops it, the connection is closed without an answer.
  struct Owed {
    explicit Owed(std::shared_ptr<Connection> to) : connection(std::move(to)) { ++connection->shared_.owed; }
    ~Owed() {
      Shared& shared = connection->shared_;
      if (!is_given) {
        asio::post(connection->stream_.get_executor(), [closed = connection] { closed->stream_.close(); });
      }
      // A server that stops waits until no answer is owed, and a connection that ends here needs the server.
      connection.reset();
      --shared.owed;
    }
    Owed(const Owed&) = delete;
    Owed& operator=(const Owed&) = delete;

    std::shared_ptr<Connection> connection;
    bool is_given = false;
  };

  void expires_after(unsigned seconds) { stream_.expires_after(std::chrono::seconds(seconds)); }

  void after_header(error_code e) {
    if (e) {
      // A malformed request is answered. A connection that ends before or within a request is not.
      if (e.category() == http::make_error_code(http::error::end_of_stream).category() &&
          e != http::error::end_of_stream && e != http::error::partial_message) {
        refuse(400);
      }
      return;
    }
    const auto& request = parser_->get();
    const auto limit = shared_.body_limit({request.method_string().data(), request.method_string().size()},
                                          {request.target().data(), request.target().size()});
    if (!limit) return refuse(404);
    const auto length = parser_->content_length();
    if (parser_->chunked() || has_two_lengths(request) || (length && *length > *limit)) return refuse(400);
    expires_after(shared_.limits.request_seconds);
    const bool waits = request.version() >= 11 && length.value_or(0) > 0 &&
                       beast::iequals(request[http::field::expect], "100-continue");
    if (waits) return ask_for_body();
    read_body();
  }

  // Beast accepts several lengths that are equal. A relay might read such a request in another way, and see
  // another body than this server.
  static bool has_two_lengths(const http::fields& header) {
    return header.count(http::field::content_length) > 1 ||
           header[http::field::content_length].find(',') != beast::string_view::npos;
  }

  void ask_for_body() {
    static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(kGoOn),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (!error) self->read_body();
                      });
  }

  void read_body() {
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
      if (!error) self->handle();
    });
  }

  void handle() {
    const auto owed = std::make_shared<Owed>(shared_from_this());
    // The end of the server sets `stopping` and then waits until nothing is owed, so it waits for every
    // request that goes on from here.
    if (shared_.stopping) return;
    auto request = parser_->release();
    keep_alive_ = request.keep_alive();
    version_ = request.version();
    stream_.expires_never();
    HttpRequest plain{std::string(request.method_string()), std::string(request.target()),
                      std::move(request.body())};
    shared_.handler(std::move(plain), [owed](HttpResponse response) {
      asio::post(owed->connection->stream_.get_executor(), [owed, response = std::move(response)]() mutable {
        owed->is_given = true;
        owed->connection->write(std::move(response));
      });
    });
  }

  // An answer after which the connection is closed, because the rest of the request is not read.
  void refuse(unsigned status) {
    keep_alive_ = false;
    write({.status = status});
  }

  void write(HttpResponse response) {
    response_.emplace(static_cast<http::status>(response.status), version_);
    if (!response.body.empty()) response_->set(http::field::content_type, response.type);
    for (const auto& [name, value] : response.headers) response_->set(name, value);
    response_->body() = std::move(response.body);
    response_->keep_alive(keep_alive_ && !shared_.stopping);
    response_->prepare_payload();
    expires_after(shared_.limits.request_seconds);
    http::async_write(stream_, *response_,
                      [self = shared_from_this()](error_code e, std::size_t) { self->after_write(e); });
  }

  void after_write(error_code e) {
    if (e) return;
    if (response_->need_eof()) {
      error_code ignored;
      stream_.socket().shutdown(Socket::shutdown_send, ignored);
      stream_.expires_after(kLinger);
      return discard();
    }
    response_.reset();
    read();
  }

  // For a moment, what still comes is read and thrown away. Closing a socket that has unread bytes resets the
  // connection, and the answer could be lost with it.
  void discard() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kReadAhead),
                            [self = shared_from_this()](error_code e, std::size_t) {
                              if (!e) self->discard();
                            });
  }

  Shared& shared_;
  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::optional<http::response<Body>> response_;
  bool keep_alive_ = false;
  unsigned version_ = 11;
};

using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

// Throws system_error if another socket listens on the port. With SO_REUSEPORT alone, two processes of one
// user could both listen, and the system would divide the connections among them.
void expect_free(const tcp::endpoint& endpoint) {
  asio::io_context context;
  tcp::acceptor probe(context);
  probe.open(endpoint.protocol());
  probe.set_option(asio::socket_base::reuse_address(true));
  probe.bind(endpoint);
}

// One thread with its own event loop and acceptor.
class Loop {
 public:
  Loop(const tcp::endpoint& endpoint, Shared& shared) : shared_(shared), acceptor_(context_) {
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(asio::socket_base::reuse_address(true));
    acceptor_.set_option(ReusePort(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
  }
  ~Loop() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }

  tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }
  void start() {
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  void stop_accepting() {
    asio::post(context_, [this] {
      error_code ignored;
      acceptor_.close(ignored);
    });
  }

 private:
  void accept() {
    acceptor_.async_accept(context_, [this](error_code e, Socket socket) {
      if (!acceptor_.is_open()) return;
      if (!e && shared_.connections < shared_.limits.connections) {
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        std::make_shared<Connection>(std::move(socket), shared_)->read();
      }
      if (!e) return accept();
      // Accepting failed, for example because too many files are open. It is tried again a little later.
      pause_.expires_after(std::chrono::milliseconds(100));
      pause_.async_wait([this](error_code stopped) {
        if (!stopped) accept();
      });
    });
  }

  Shared& shared_;
  asio::io_context context_{1};
  // A connection whose answer is owed has nothing pending, and the loop must still be there to send it.
  asio::executor_work_guard<Executor> work_{context_.get_executor()};
  Acceptor acceptor_;
  asio::steady_timer pause_{context_};
  std::thread thread_;
};

}  // namespace

struct HttpServer::State {
  Shared shared;
  std::vector<std::unique_ptr<Loop>> loops;
};

HttpServer::HttpServer(const std::string& address, std::uint16_t port, unsigned threads,
                       const HttpLimits& limits, BodyLimit body_limit, Handler handler)
    : state_(std::make_unique<State>()) {
  state_->shared.limits = limits;
  state_->shared.body_limit = std::move(body_limit);
  state_->shared.handler = std::move(handler);
  const std::string place = fmt::format("{}:{}", address, port);
  error_code e;
  const auto ip = asio::ip::make_address(address, e);
  if (e)
    throw Error(ErrorCode::plan, Reason::malformed, "listen", place, "IP-ADDRESS:PORT", "has no IP address");
  try {
    tcp::endpoint endpoint(ip, port);
    expect_free(endpoint);
    for (unsigned i = 0; i < threads; ++i) {
      state_->loops.push_back(std::make_unique<Loop>(endpoint, state_->shared));
      endpoint = state_->loops.front()->endpoint();
    }
  } catch (const boost::system::system_error& error) {
    throw Error(ErrorCode::file, place, "", "", "cannot be listened on: " + error.code().message());
  }
  for (const auto& loop : state_->loops) loop->start();
}

HttpServer::~HttpServer() {
  Shared& shared = state_->shared;
  shared.stopping = true;
  for (const auto& loop : state_->loops) loop->stop_accepting();
  // An answer that came after the end would use what is destroyed here.
  while (shared.owed > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

std::uint16_t HttpServer::port() const { return state_->loops.front()->endpoint().port(); }
std::size_t HttpServer::connections() const { return state_->shared.connections; }

}  // namespace muster::service
