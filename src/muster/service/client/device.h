// One device of a deployment. It decides by its own coin whether it reports, and sends one upload in every
// round that it hears of, whatever the coin.
//
// In a round, in this order:
//     it hears of it     checks both signatures, its token and the time that is left; else it stays out
//     coin, send time    drawn and persisted, before anything else is fetched, read or sent
//     model              downloaded, and the computation started, whatever the coin
//     a moment before    it takes what the computation has, or zeros; makes an upload of the kind that the
//     the send time      coin says, with the same work for both kinds, and persists it
//     send time          sends these bytes, and the same bytes again until they are acknowledged
//     the round's end    removes coin, send time, bytes and token; the ledger keeps the round's number
// Nothing that a network, a relay, the shuffler's clock or the issuer can see depends on the coin: the
// requests, their order, sizes and times are the same, and so is the work. After the coin, nothing about
// record or model can keep the upload back.
//
// If the process dies between the coin and the persisted bytes, the bytes are made when it is back, with
// fresh noise: nothing has left the device yet. Once persisted, they are never made anew.
//
// A device belongs to one thread.
//
// Example:
//     Device device({task, key, store, clock, shuffler, issuer, computation, draws}, policy);
//     for (;;) sleep_until(device.step());
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "muster/service/client/backoff.h"
#include "muster/service/client/computation.h"
#include "muster/service/client/device_state.h"
#include "muster/service/client/draws.h"
#include "muster/service/client/policy.h"
#include "muster/service/client/token_wallet.h"
#include "muster/service/client/upload_maker.h"
#include "muster/service/ports/clock.h"
#include "muster/service/ports/ports.h"
#include "muster/service/store/store.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/descriptor.h"

namespace muster::service {

// What a device is made of; everything must outlive it. The store is its own, and `draws` are what
// draws_of() the task returns.
struct DeviceParts {
  const TaskDocument& task;
  const wire::SigningKey& key;  // enrolled at the issuer
  Store& store;
  Clock& clock;
  ShufflerForDevices& shuffler;
  IssuerForDevices& issuer;
  Computation& computation;
  Draws& draws;
};

class Device {
 public:
  // Throws Error(plan) for a task that the policy does not allow (policy.h), and Error(file) for a store
  // that is damaged or belongs to another task or device.
  Device(const DeviceParts& parts, const Policy& policy, const EpsilonOfRounds& epsilon = charged_epsilon);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Does what is due, and returns the steady time in milliseconds at which it wants to be called again.
  // Throws what the store throws, and the process must end then. A failure of the network or of the
  // computation throws nothing.
  std::int64_t step();
  // Whether the aggregator has said that the task is over. Then nothing is due any more.
  bool is_over() const { return is_over_; }

  const DeviceLedger& ledger() const { return ledger_; }
  // What this process has seen. None of it depends on a coin or a record.
  struct Counts {
    std::uint64_t acknowledged = 0;    // uploads
    std::uint64_t late = 0;            // uploads that came after the end of their round
    std::uint64_t refused = 0;         // uploads that the shuffler refused: a defect, or an attack
    std::uint64_t faults = 0;          // descriptors, blobs and answers of the issuer that were not valid
    std::uint64_t tokens_refused = 0;  // by the issuer: the device is not enrolled, or had other tokens
    // Failures in a row: requests to the shuffler without an answer, and visits to the issuer that have to
    // be made again.
    std::uint64_t without_shuffler = 0, without_issuer = 0;
  };
  Counts counts() const;
  // Why the last request that failed did, in words for whoever runs the device; empty if nothing is known.
  const std::string& trouble_with_shuffler() const { return backoff_.why(); }
  const std::string& trouble_with_issuer() const { return wallet_.backoff().why(); }

 private:
  // The round that the device takes part in, as long as this process has heard of it.
  struct Active {
    wire::Descriptor descriptor;
    std::int64_t end, send_at;  // steady times
    std::int64_t next;          // of the next request
    std::optional<wire::Buffer> model;
    bool computing = false, acknowledged = false;
    unsigned refusals = 0;  // of the upload
  };

  Device(const DeviceParts& parts, DeviceState loaded);
  std::int64_t lead() const;
  std::int64_t below(std::int64_t bound);
  std::int64_t around(std::int64_t mean);
  std::int64_t due() const;

  // What the shuffler serves. `descriptor` is nullopt if no round is open now, or ever again. hear() returns
  // nullopt if the answer is not valid.
  struct ServedRound {
    std::optional<wire::Descriptor> descriptor;
    std::int64_t remaining = 0;
  };
  std::optional<ServedRound> hear();
  std::optional<ServedRound> hear_of_the_end(wire::Bytes signed_over);
  void poll(std::int64_t now);
  bool takes_part(const wire::Descriptor& descriptor, std::int64_t remaining) const;
  void toss(const wire::Descriptor& descriptor, std::int64_t remaining);
  void begin(const wire::Descriptor& descriptor, std::int64_t remaining, std::int64_t now);

  void work(std::int64_t now);
  void download(std::int64_t now);
  // The blob with this hash; nullopt if the shuffler has none, or other bytes.
  std::optional<wire::Buffer> blob(const wire::Hash& hash);
  void seal();
  void send(std::int64_t now);
  void watch(std::int64_t now);
  void finish();

  DeviceParts parts_;
  std::int64_t round_ms_;
  UploadMaker uploads_;
  DeviceLedger ledger_;
  std::optional<RoundCoin> coin_;  // of the round that the device takes part in
  wire::Buffer upload_;            // of that round; empty until it is made
  TokenWallet wallet_;
  Backoff backoff_;
  // The last descriptor whose signatures were valid, and its bytes. Most polls return the same bytes again.
  std::optional<std::pair<wire::Buffer, wire::Descriptor>> valid_;
  std::optional<Active> active_;
  bool is_over_ = false;
  std::int64_t poll_at_;
  wire::Hash frozen_hash_{};
  wire::Buffer frozen_;
  Counts counts_;
};

}  // namespace muster::service
