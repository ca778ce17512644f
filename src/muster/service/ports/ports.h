// What one role asks of another, apart from how the bytes travel: over sockets in a deployment, by a call in
// tests.
//
// Every call may be lost or arrive twice, and so may its answer. A call without an answer throws Unreachable,
// and the caller does not know whether the other side has heard it. So every call may be repeated. A port
// belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "muster/wire/bytes.h"

namespace muster::service {

// The other side was not reached, did not answer in time, or gave no answer that there is to this question.
// what() says why, in words for an operator: they name no device, and are the same for the same trouble.
class Unreachable final : public std::runtime_error {
 public:
  explicit Unreachable(const std::string& why = "no answer came") : std::runtime_error(why) {}
};

// The answer to an upload or to a request for tokens. The names of HTTP's status codes say what it means.
enum class Answer : std::uint8_t {
  stored,   // 201: durable, now or before; also for a token that was spent with another upload
  refused,  // 400: it is not valid, whenever it comes
  over,     // 410: the round is over
  busy,     // 503: to be sent again later
};

// The shuffler, as a device sees it.
class ShufflerForDevices {
 public:
  struct Round {
    wire::Buffer descriptor;        // signed (wire/descriptor.h)
    std::int64_t remaining_ms = 0;  // until the round ends
    // If this is not empty, no round is open and none will be: the aggregator's signed notice that the task
    // is over (wire/round_notice.h).
    wire::Buffer over{};
  };
  virtual ~ShufflerForDevices() = default;
  virtual std::optional<Round> round() = 0;  // nullopt while no round is open
  // The model, or its frozen part, with this hash; nullopt if the shuffler does not have it.
  virtual std::optional<wire::Buffer> blob(const wire::Hash& hash) = 0;
  virtual Answer upload(wire::Bytes upload) = 0;
};

// The issuer, as a device sees it.
class IssuerForDevices {
 public:
  struct Tokens {
    // `stored` if the responses follow; `refused` also if another request for one of the rounds was answered
    // before; `over` if one of the rounds has no key any more.
    Answer answer = Answer::refused;
    wire::Buffer responses;
  };
  virtual ~IssuerForDevices() = default;
  virtual wire::Buffer keys() = 0;                      // the signed key directory
  virtual Tokens tokens(wire::Bytes signed_block) = 0;  // wire/issuance.h
};

// The issuer, as the shuffler sees it.
class IssuerForShuffler {
 public:
  virtual ~IssuerForShuffler() = default;
  virtual wire::Buffer keys() = 0;
  // Ends the issuance of the tokens of a round (wire/round_notice.h) and returns the key directory after it;
  // nullopt if the order is not valid, or if fewer tokens of the round were issued than it needs devices.
  virtual std::optional<wire::Buffer> close_issuance(wire::Bytes signed_close) = 0;
  // Takes the shuffler's notice that it is about to hand out the reports of a round (wire/round_notice.h),
  // and returns the key directory that says so for good; nullopt if the notice is not valid, or the issuance
  // of the round has not ended.
  virtual std::optional<wire::Buffer> note_release(wire::Bytes signed_notice) = 0;
};

// The shuffler, as the aggregator sees it.
class ShufflerForAggregator {
 public:
  virtual ~ShufflerForAggregator() = default;
  virtual wire::Buffer offer() = 0;  // signed (wire/offer.h)
  virtual wire::Buffer keys() = 0;   // the issuer's key directory, as the shuffler saw it last; may be empty
  // Keeps the bytes, for devices to ask for by their hash, until a round is opened that names others.
  virtual void put_blob(wire::Bytes blob) = 0;
  // Opens the round of a descriptor that the aggregator signed, or returns false if it refuses. `rows` are
  // the ledger's rows from number `first` on, up to the head that the descriptor names. `first` is where the
  // shuffler's knowledge ends, by its offer; or 0 if the ledger has lost its end and was continued with the
  // lost rounds charged.
  virtual bool open(wire::Bytes offered, std::uint64_t first, const std::vector<wire::Buffer>& rows) = 0;
  // The signed manifest of a round that is closed; nullopt while it is open, or if it was never opened.
  virtual std::optional<wire::Buffer> manifest(std::uint64_t round) = 0;
  // Reports [first, first + count) of the round's batch; nullopt if there is no such batch (any more).
  virtual std::optional<wire::Buffer> batch(std::uint64_t round, std::uint64_t first,
                                            std::uint64_t count) = 0;
  // Takes the aggregator's signed receipt, upon which the batch is deleted. Returns false if it is not valid.
  virtual bool receipt(wire::Bytes signed_receipt) = 0;
  // Takes the aggregator's signed notice that the task is over, for devices to ask for. Returns false if it
  // is not valid, or a round is open.
  virtual bool end(wire::Bytes signed_over) = 0;
};

}  // namespace muster::service
