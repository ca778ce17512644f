// Tells what a role says of itself, to whoever asks: no request changes anything.
//
//     GET /healthz      200 once there is something to tell; 503 before
//     GET /status       200: one JSON object
//     GET /status.txt   200: the same in words
//
// Its methods may be called from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "muster/service/config/role_file.h"

namespace muster::service {

class StatusServer {
 public:
  // Throws as HttpServer.
  explicit StatusServer(const ListenAddress& listen);
  ~StatusServer();

  std::uint16_t port() const;
  // What is told from now on.
  void show(std::string json, std::string words);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::service
