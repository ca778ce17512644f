// A shuffler with an open round on the disk of a temporary folder, its keys, and uploads for it that are
// sealed beforehand: for benchmarks and tests of its server. One thread makes it and destroys it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "muster/service/ledger/descriptor_of.h"
#include "muster/service/ledger/ledger.h"
#include "muster/service/shuffler/shuffler.h"
#include "muster/service/store/file_log_folder.h"
#include "muster/service/store/sqlite_store.h"
#include "muster/service/task/plans_test.h"
#include "muster/wire/hash.h"
#include "muster/wire/issuance.h"
#include "muster/wire/offer.h"
#include "tests/support/temporary_folder.h"

namespace muster::deployment {

// An issuer that has issued the tokens of the one round already.
class OneRoundIssuer final : public service::IssuerForShuffler {
 public:
  OneRoundIssuer(const wire::Hash& task, const wire::SigningKey& identity, const wire::RsaSecretKey& key,
                 std::uint64_t devices)
      : signed_(wire::sign_key_directory(
            {task, 1, devices, 0, {{1, key.public_key().modulus(), devices + 1}}}, identity)) {}
  wire::Buffer keys() override { return signed_; }
  std::optional<wire::Buffer> close_issuance(wire::Bytes) override { return signed_; }
  std::optional<wire::Buffer> note_release(wire::Bytes) override { return signed_; }

 private:
  wire::Buffer signed_;
};

struct OpenShuffler {
  wire::SigningKey aggregator = wire::SigningKey::fresh(), issuer_identity = wire::SigningKey::fresh(),
                   identity = wire::SigningKey::fresh();
  wire::RsaSecretKey issuer_key = wire::RsaSecretKey::fresh();
  service::TaskDocument task =
      service::TaskDocument::make(service::deployed_plan(8), {.seconds = 3600,
                                                              .most_rounds = 40,
                                                              .aggregator = aggregator.identity(),
                                                              .issuer = issuer_identity.identity(),
                                                              .shuffler = identity.identity()});
  testing::TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  std::optional<service::SqliteStore> store;
  std::optional<service::FileLogFolder> logs;
  OneRoundIssuer issuer;
  wire::UploadSizes sizes{17};
  std::optional<service::Shuffler> shuffler;
  std::vector<wire::Buffer> uploads;  // every other one is a dummy

  // Making a token takes a millisecond. One more was issued than are spent, so that the round stays open.
  explicit OpenShuffler(std::size_t devices) : issuer(task.name(), issuer_identity, issuer_key, devices) {
    store.emplace(folder / "store.db", service::SqliteStore::Access::create_or_open);
    logs.emplace(folder);
    shuffler.emplace(task, identity, sizes, *store, *logs, service::system_clock(), issuer);
    const wire::RoundKeys keys = open_round();
    const wire::Hash challenge = wire::round_challenge_digest(task.name(), 1);
    for (std::size_t i = 0; i < devices; ++i) {
      const auto pending = wire::begin_token(issuer_key.public_key(), challenge);
      const auto signature = wire::issue_token(issuer_key, pending.request).value();
      const wire::Token token = wire::finish_token(issuer_key.public_key(), pending, signature).value();
      uploads.push_back(i % 2 == 0 ? wire::seal_dummy(keys, token, sizes)
                                   : wire::seal_report(keys, token, wire::Buffer(17)));
    }
  }

 private:
  wire::RoundKeys open_round() {
    shuffler->tick();
    const wire::Buffer model{1};
    shuffler->put_blob(model);
    service::SqliteStore ledger_store(folder / "ledger.db", service::SqliteStore::Access::create_or_open);
    service::Ledger ledger(ledger_store, "ledger");
    ledger.append(service::TaskEntry{task.name(), 20, 1e-5});
    const wire::HpkePublicKey for_aggregator = wire::HpkeKeyPair::fresh().public_key();
    const service::OpenEntry open{.round = 1,
                                  .update = 0,
                                  .model = wire::hash_of({model}),
                                  .frozen = {},
                                  .token_key = issuer_key.public_key().id(),
                                  .shuffler = wire::read_offer(shuffler->offer(), identity.identity())->key,
                                  .aggregator = for_aggregator};
    ledger.append(open);
    const wire::Descriptor descriptor = service::descriptor_of(open, task.name(), ledger.head());
    if (!shuffler->open(wire::sign_descriptor(descriptor, aggregator), 0, ledger_store.rows())) std::abort();
    return {1, wire::descriptor_hash(descriptor), descriptor.shuffler, descriptor.aggregator};
  }
};

}  // namespace muster::deployment
