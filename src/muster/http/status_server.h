// Shows what a role says about itself to anybody who asks. No request changes anything.
//
//     GET /             200: a web page, under a policy that lets it load nothing (content_policy.h)
//     GET /healthz      200 once there is something to tell; 503 before
//     GET /metrics      200: figures for Prometheus
//     GET /status       200: one JSON object
//     GET /status.txt   200: the same in words
//
// Its methods may be called from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "muster/service/config/role_file.h"

namespace muster::service {

class StatusServer {
 public:
  // `style` is the style sheet of the page. Throws what HttpServer throws.
  StatusServer(const ListenAddress& listen, std::string_view style);
  ~StatusServer();

  std::uint16_t port() const;
  struct Told {
    std::string json, words, page, metrics;
  };
  // Sets what is shown from now on.
  void show(Told told);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::service
