// An issuer behind an HTTP listener, for devices and for the shuffler.
//
//     GET  /v1/keys     200: the signed key directory
//     POST /v1/tokens   201: the responses to a block of requests; 400, 410, or 503 with a constant
//                       Retry-After
//     POST /v1/close    200: the key directory after the issuance of a round ended; 409 if the issuer refuses
//     POST /v1/release  200: the key directory that says that a round is released; 409 if the issuer refuses
//     GET  /healthz     200; no answer after an error of a file
//     GET  /metrics     200: figures for Prometheus, which all follow from the published directory
//
// Blocks of requests wait in a bounded queue (503 if it is full). One thread answers all that wait, makes
// them durable with one sync, and then lets the answers go. Another one makes the keys of coming rounds and
// publishes the directory, each time after a pause (`publish`). After an error of a file no answer is given
// any more, and wait() throws it: the process must end. Any thread may call the functions of a server, but
// the destructor comes after all of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "muster/service/config/role_file.h"
#include "muster/service/issuer/issuer.h"

namespace muster::service {

struct IssuerServerOptions {
  ListenAddress listen = {};
  unsigned threads = 1;            // of the listener
  std::uint64_t rounds_ahead = 8;  // rounds whose keys are made before they are needed
  std::size_t queue = 256;         // blocks of requests that wait
  std::size_t connections = 8192;
  std::chrono::milliseconds publish{1000};
};

class IssuerServer {
 public:
  // The issuer must outlive the server. From now on no other thread may call it.
  IssuerServer(Issuer& issuer, const IssuerServerOptions& options);
  // Stops accepting, answers what is owed, and ends.
  ~IssuerServer();

  std::uint16_t port() const;
  // The signed key directory that is served now; empty after an error of a file.
  wire::Buffer keys();
  // Waits for at most `milliseconds`. Throws the error that ended the server's work, if there was one.
  void wait(unsigned milliseconds);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::service
