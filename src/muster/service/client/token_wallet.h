// The tokens of a device: one for each coming round, fetched in blocks long before the rounds open.
//
// When the wallet asks depends on time, on chance, on how many tokens it holds and on the issuer's answers,
// and never on a coin or on the opening of a round: the issuer sees which device asks. What is asked is
// persisted before it leaves, so that after a lost answer or a restart the same blinded request is made
// again; the issuer answers no other one for the round. A token that is not valid, because the answer was
// changed on its way perhaps, is asked for twice more. A round whose token was refused is never asked for
// again, and the device stays out of it. An object belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/service/client/backoff.h"
#include "muster/service/client/device_state.h"
#include "muster/service/client/draws.h"
#include "muster/service/ports/ports.h"
#include "muster/service/store/store.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/key_directory.h"

namespace muster::service {

class TokenWallet {
 public:
  // `ledger` is the device's, of which the wallet changes `serial` and `asked`. Everything that is passed by
  // reference must outlive the wallet. `now` is the steady time in milliseconds.
  TokenWallet(const TaskDocument& task, const wire::SigningKey& device, Store& store,
              IssuerForDevices& issuer, Draws& draws, DeviceLedger& ledger, DeviceState loaded,
              std::int64_t now);

  // The steady time at which step() has something to do.
  std::int64_t due() const { return due_; }
  // Asks the issuer if it is time to. Throws what the store throws.
  void step(std::int64_t now);

  // The token of the round, if it is one of the key with this id.
  std::optional<wire::Token> token(std::uint64_t round, const wire::Hash& key_id) const;
  // Adds to `changes` the removal of the tokens up to `round`.
  void forget_until(std::uint64_t round, Store::Commit& changes);

  // Answers of the issuer that were not valid: unsigned, of a lower serial, or not what was asked for.
  std::uint64_t faults() const { return faults_; }
  // Tokens that the issuer refused.
  std::uint64_t refused() const { return refused_; }
  // The visits to the issuer in a row that have to be tried again.
  const Backoff& backoff() const { return backoff_; }

 private:
  // Those that return bool say whether the wallet may go on, or has to ask again soon.
  bool fetch();
  std::optional<wire::KeyDirectory> directory();
  void begin(const wire::KeyDirectory& listed);
  bool ask();
  bool take(std::size_t count, wire::Bytes responses);
  bool drop_rounds_without_keys();
  bool drop_first();
  void commit_pending();
  std::int64_t until_next();

  const TaskDocument& task_;
  const wire::SigningKey& device_;
  Store& store_;
  IssuerForDevices& issuer_;
  Draws& draws_;
  DeviceLedger& ledger_;
  std::vector<HeldToken> tokens_;
  std::vector<AskedToken> pending_;
  bool one_by_one_ = false;  // because a whole block was not answered
  unsigned invalid_ = 0;     // answers in a row with a token that is not valid
  Backoff backoff_;
  std::int64_t due_;
  std::uint64_t faults_ = 0, refused_ = 0;
};

}  // namespace muster::service
