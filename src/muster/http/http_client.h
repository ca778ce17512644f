// A client of HTTP/1.1, on libcurl: one server, one connection that is kept, bounded answers.
//
// Redirects are not followed, no cookie is kept, and no header is sent but Host and Content-Length, so that a
// relay cannot tell two devices apart by what they send. With https, the server's certificate must be signed
// by an authority of the given file (or of the system). A client belongs to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "muster/service/ports/ports.h"
#include "muster/wire/bytes.h"

namespace muster::service {

class HttpClient {
 public:
  struct Answer {
    long status = 0;
    wire::Buffer body;
  };

  // `base` is a URL without a path, such as "https://shuffler.example:8443". Throws Error(plan) for one of
  // another scheme than http or https, and Error(file) if `ca` is a file without certificates. `ca` may be
  // empty.
  HttpClient(std::string base, const std::string& ca, unsigned timeout_seconds = 30);
  ~HttpClient();

  // Both throw Unreachable if no whole answer comes in time, or if its body has more than `max_body` bytes.
  Answer get(const std::string& path, std::size_t max_body);
  Answer post(const std::string& path, wire::Bytes body, std::size_t max_body);

 private:
  struct State;
  Answer perform(const std::string& path, std::size_t max_body);
  std::unique_ptr<State> state_;
};

}  // namespace muster::service
