// Writes down what devices sent, what was acknowledged, and what the shuffler handed over, and says at the
// end whether a report was lost, doubled or invented. It opens the uploads with the shuffler's keys, which it
// takes from the shuffler's disk. A witness belongs to the thread of the test.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "muster/service/ledger/ledger.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/upload.h"
#include "tests/deployment/carrier.h"

namespace muster::deployment {

class Witness {
 public:
  Witness(const service::TaskDocument& task, wire::UploadSizes sizes) : task_(task), sizes_(sizes) {}

  // A device is shown this descriptor, and `key` is the content of the shuffler's blob "key" at that time.
  void sees_round(Bytes signed_descriptor, const std::optional<Buffer>& key);
  void sees_upload(Bytes upload);
  void sees_answer(Bytes upload, service::Answer answer);
  void sees_manifest(std::uint64_t number, const Buffer& manifest);
  void sees_piece(std::uint64_t number, std::uint64_t first, const Buffer& piece);
  // The shuffler was restored: it may lack what it acknowledged in the rounds so far.
  void forgive();

  // All uploads that devices sent, in their order.
  const std::vector<Buffer>& uploads() const { return uploads_; }
  // What went wrong, by the aggregator's ledger.
  std::vector<std::string> judge(const service::Ledger& ledger);

 private:
  struct Sent {
    wire::UploadKind kind = wire::UploadKind::dummy;
    Buffer inner;
    bool acknowledged = false;
  };
  // One opening of a round. If aggregator and shuffler were both restored, a round of which nothing was
  // handed out may be opened again, with other keys: it has another descriptor then, and is heard and judged
  // by itself.
  struct Round {
    std::uint64_t number = 0;
    std::optional<wire::HpkeKeyPair> key;
    std::map<Buffer, std::vector<Sent>> by_token;  // by the token's nonce
    std::map<std::uint64_t, Buffer> batch;         // by its place
    std::optional<Buffer> manifest;                // the first of a released round that was handed out
    bool forgiven = false;
  };

  Sent* find(Bytes upload);
  Round& opening(const wire::Manifest& manifest);
  void find_fault(const Round& round, const std::string& what);
  void judge_batch(const Round& round);
  void judge_charges(const service::Ledger& ledger);

  const service::TaskDocument& task_;
  wire::UploadSizes sizes_;
  std::map<wire::Hash, Round> rounds_;          // by the descriptor's hash
  std::map<std::uint64_t, wire::Hash> closed_;  // by the round's number, the descriptor of its last manifest
  std::vector<Buffer> uploads_;
  std::vector<std::string> findings_;
};

// A shuffler whose calls the witness sees.
class WitnessedShuffler final : public CarriedShuffler {
 public:
  WitnessedShuffler(Carrier& carrier, Process<service::Shuffler>& shuffler, Witness& witness)
      : CarriedShuffler(carrier, shuffler), process_(shuffler), witness_(witness) {}

  std::optional<Round> round() override;
  service::Answer upload(Bytes upload) override;
  std::optional<Buffer> manifest(std::uint64_t round) override;
  std::optional<Buffer> batch(std::uint64_t round, std::uint64_t first, std::uint64_t count) override;

 private:
  Process<service::Shuffler>& process_;
  Witness& witness_;
};

}  // namespace muster::deployment
