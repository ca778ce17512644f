// A small HTTP/1.1 server, on Boost.Beast: requests with a body of known length and bounded size, and answers
// that another thread may give later.
//
// Everything a client can do is bounded: the header, the body (which is refused before it is read), the
// number of connections, and the time that a connection may be idle or take for a request. A request without
// Content-Length has no body; one with a chunked body, two lengths or a longer body than its path allows is
// answered with 400 and its connection closed. One that waits to be asked for its body (Expect: 100-continue)
// is asked if the body is allowed. Nothing of a request is written anywhere.
//
// Each thread runs its own event loop and accepts connections by itself (SO_REUSEPORT). The handler is called
// on these threads, several at a time, and must not block for long. Any thread may call the functions of a
// server, but the destructor comes after all of them. TLS ends before this server, in a relay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/wire/bytes.h"

namespace muster::service {

struct HttpRequest {
  std::string method, target;
  wire::Buffer body;
};

struct HttpResponse {
  unsigned status = 200;
  std::string type = "application/octet-stream";  // of the body, if there is one
  wire::Buffer body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

struct HttpLimits {
  std::size_t connections = 8192;  // a further one is closed at once
  std::size_t header = 8192;       // bytes
  unsigned idle_seconds = 60;      // between two requests of a connection
  unsigned request_seconds = 30;   // for a request, from its first byte to its last
};

class HttpServer {
 public:
  // Call it once, from any thread. If it is destroyed without having been called, the connection is closed.
  using Reply = std::function<void(HttpResponse)>;
  using Handler = std::function<void(HttpRequest, Reply)>;
  // The largest body of a request with this method and target; nullopt (404) if there is no such path.
  using BodyLimit =
      std::function<std::optional<std::size_t>(std::string_view method, std::string_view target)>;

  // Listens on the address (an IP address) and port; port 0 takes a free one. Throws Error(file) if that
  // fails, for example because another process listens there. Answers requests from the constructor's return
  // on.
  HttpServer(const std::string& address, std::uint16_t port, unsigned threads, const HttpLimits& limits,
             BodyLimit body_limit, Handler handler);
  // Accepts no more connections and requests, waits until every answer that is owed is given or dropped, and
  // ends.
  ~HttpServer();

  std::uint16_t port() const;
  std::size_t connections() const;  // that are open now

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::service
