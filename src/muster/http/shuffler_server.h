// A shuffler behind two HTTP listeners: one for devices (through a relay), one for the aggregator.
//
//     devices      GET  /v1/round            200: signed descriptor 369 | remaining milliseconds u64;
//                                            204 while no round is open; 410: notice that the task is over
//                  GET  /v1/blob/HASH        200, or 404
//                  POST /v1/upload           201, 400, 410, or 503 with a constant Retry-After
//     aggregator   GET  /v1/offer            200
//                  GET  /v1/keys             200: the issuer's key directory, or nothing
//                  POST /v1/blob             201
//                  POST /v1/open             200, or 409 if the shuffler refuses (open_request.h)
//                  GET  /v1/manifest/ROUND   200, or 404
//                  GET  /v1/batch/ROUND/FIRST/COUNT   200, or 404
//                  POST /v1/receipt          200, or 400
//                  POST /v1/end              200, or 409 if this is no notice that the task is over
//                  GET  /healthz             200; no answer after an error of a file
//                  GET  /metrics             200: figures for Prometheus
//
// No metric is about the round that is open, but for its number: whoever asks again and again would learn
// when devices were heard (upload_counts.h). For the same reason, no metric tells how many uploads wait for
// the disk, or how many connections are open, and what the aggregator asks while a round is open is answered
// without waiting for the disk.
//
// Uploads are checked on the listener's threads, which never wait for the disk: checked ones go into a
// bounded queue (503 if it is full). One thread takes all that wait, makes them durable with one sync, and
// then lets the answers go. After an error of a file no answer is given any more, and wait() throws it: the
// process must end. Any thread may call the functions of a server, but the destructor comes after all of
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "muster/service/config/role_file.h"
#include "muster/service/ports/clock.h"
#include "muster/service/shuffler/shuffler.h"
#include "muster/wire/manifest.h"

namespace muster::service {

struct ShufflerServerOptions {
  ListenAddress devices = {}, aggregator = {};
  unsigned threads = 1;      // of the devices' listener
  std::size_t queue = 4096;  // checked uploads that wait for the disk
  std::size_t connections = 8192;
};

class ShufflerServer {
 public:
  // The shuffler and the clock must outlive the server. From now on no other thread may call the shuffler.
  ShufflerServer(Shuffler& shuffler, Clock& clock, const ShufflerServerOptions& options);
  // Stops accepting, answers what is owed, and ends.
  ~ShufflerServer();

  std::uint16_t devices_port() const;
  std::uint16_t aggregator_port() const;
  // What happened since the start, in numbers that name nobody.
  struct Seen {
    std::uint64_t open = 0;                // the round that is open; 0 if there is none
    std::optional<wire::Manifest> closed;  // of the last round that was open
    std::string trouble{};                 // with the issuer (Shuffler::trouble_with_issuer)
  };
  Seen seen() const;
  // Waits for at most `milliseconds`. Throws the error that ended the server's work, if there was one.
  void wait(unsigned milliseconds);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::service
