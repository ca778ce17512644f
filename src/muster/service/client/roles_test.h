// The roles around a device, for its tests: an issuer that signs with stored RSA keys, and a shuffler that
// opens what it gets. Every call of a port can be watched, can be lost, and can kill the device.
//
// The objects belong to the thread of the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "muster/service/model/model_blob.h"
#include "muster/service/ports/clock.h"
#include "muster/service/ports/ports.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/descriptor.h"
#include "muster/wire/issuance.h"
#include "muster/wire/issuer_keys_test.h"
#include "muster/wire/key_directory.h"
#include "muster/wire/upload.h"

namespace muster::service {

inline wire::SigningKey key_of_byte(std::uint8_t byte) {
  wire::SecretBytes<wire::SigningKey::kSeed> seed;
  std::ranges::fill(seed.span(), byte);
  return wire::SigningKey::from_seed(seed);
}

// What one port was asked: when, what, and how many bytes went there.
struct Call {
  std::int64_t at;
  std::string what;
  std::size_t size;
  bool operator==(const Call&) const = default;
};

// Sees every call of the ports before the other side does and, if it was answered, afterwards. The functions
// may throw.
struct Network {
  std::function<void(const Call&)> before = [](const Call&) {};
  std::function<void(const Call&)> after = [](const Call&) {};
  std::vector<Call> calls;

  template <typename Answer>
  Answer carry(const Call& call, const std::function<Answer()>& other_side) {
    calls.push_back(call);
    before(call);
    Answer answer = other_side();
    after(call);
    return answer;
  }
};

class TestIssuer final : public IssuerForDevices {
 public:
  TestIssuer(const TaskDocument& task, Clock& clock, Network& network)
      : task_(task), clock_(clock), network_(network) {}

  // Reading a key takes long, so all issuers share the same two keys.
  static const wire::RsaSecretKey& key(std::uint64_t round) {
    static const wire::RsaSecretKey odd = wire::stored_issuer_key(), even = wire::other_issuer_key();
    return round % 2 == 1 ? odd : even;
  }

  wire::Buffer keys() override {
    return network_.carry<wire::Buffer>({clock_.steady_ms(), "keys", 0}, [this] {
      wire::KeyDirectory directory{task_.name(), serial, 12, 0, {}};
      for (std::uint64_t round = first; round <= last; ++round) {
        directory.entries.push_back({round, key(round).public_key().modulus(), 0});
      }
      return wire::sign_key_directory(directory, signer);
    });
  }

  Tokens tokens(wire::Bytes signed_block) override {
    return network_.carry<Tokens>({clock_.steady_ms(), "tokens", signed_block.size()},
                                  [&] { return issue(signed_block); });
  }

  std::uint64_t serial = 1, first = 1, last = 8;
  std::uint64_t issued_until = 0;  // rounds up to here are over, although the directory may list them
  wire::SigningKey signer = key_of_byte(2);
  unsigned damaged = 0;                  // the number of answers, from now on, with a byte changed
  std::vector<wire::TokenBlock> blocks;  // that came
  std::map<std::pair<wire::IdentityKey, std::uint64_t>, wire::TokenRequest> asked;

 private:
  Tokens issue(wire::Bytes signed_block) {
    const auto block = wire::read_token_block(signed_block);
    if (!block || block->task != task_.name()) return {Answer::refused, {}};
    blocks.push_back(*block);
    for (const auto& entry : block->entries) {
      if (entry.round < first || entry.round > last || entry.round <= issued_until) return {Answer::over, {}};
      const auto before = asked.find({block->device, entry.round});
      if (before != asked.end() && before->second != entry.request) return {Answer::refused, {}};
    }
    Tokens answer{Answer::stored, {}};
    for (const auto& entry : block->entries) {
      asked[{block->device, entry.round}] = entry.request;
      const auto response = wire::issue_token(key(entry.round), entry.request);
      if (!response) return {Answer::refused, {}};
      answer.responses.insert(answer.responses.end(), response->begin(), response->end());
    }
    if (damaged > 0) {
      --damaged;
      answer.responses[wire::kTokenResponse / 2] ^= 1;
    }
    return answer;
  }

  const TaskDocument& task_;
  Clock& clock_;
  Network& network_;
};

class TestShuffler final : public ShufflerForDevices {
 public:
  struct Seen {
    wire::UploadKind kind;
    wire::Token token;
    wire::Buffer payload;  // of a report, opened
  };

  TestShuffler(const TaskDocument& task, Clock& clock, TestIssuer& issuer, Network& network,
               std::size_t payload)
      : task_(task), clock_(clock), issuer_(issuer), network_(network), sizes_{payload} {}

  // Opens a round for its whole length.
  void open(std::uint64_t round, const wire::Buffer& model, const wire::Buffer& frozen = {}) {
    blobs[blob_hash(model)] = model;
    descriptor = {};
    descriptor.task = task_.name();
    descriptor.round = round;
    descriptor.update = round - 1;
    descriptor.model = blob_hash(model);
    if (!frozen.empty()) {
      descriptor.frozen = blob_hash(frozen);
      blobs[descriptor.frozen] = frozen;
    }
    descriptor.shuffler = shuffler.public_key();
    descriptor.aggregator = aggregator.public_key();
    descriptor.token_key = issuer_.key(round).public_key().id();
    end = clock_.steady_ms() + static_cast<std::int64_t>(task_.settings().seconds) * 1000;
    is_open = true;
  }

  wire::Buffer signed_descriptor() const {
    return wire::countersign_descriptor(wire::sign_descriptor(descriptor, aggregator_signer),
                                        aggregator_signer.identity(), shuffler_signer)
        .value();
  }

  std::optional<Round> round() override {
    return network_.carry<std::optional<Round>>({clock_.steady_ms(), "round", 0}, [this] {
      if (!over.empty()) return std::optional(Round{{}, 0, over});
      if (!is_open || clock_.steady_ms() >= end) return std::optional<Round>();
      return std::optional(Round{signed_descriptor(), end - clock_.steady_ms(), {}});
    });
  }

  std::optional<wire::Buffer> blob(const wire::Hash& hash) override {
    const std::string what = hash == descriptor.model    ? "model"
                             : hash == descriptor.frozen ? "frozen"
                                                         : "blob";
    return network_.carry<std::optional<wire::Buffer>>({clock_.steady_ms(), what, hash.size()}, [&] {
      const auto found = blobs.find(hash);
      return found == blobs.end() ? std::nullopt : std::optional(found->second);
    });
  }

  Answer upload(wire::Bytes bytes) override {
    if (silent()) throw Unreachable();
    return network_.carry<Answer>({clock_.steady_ms(), "upload", bytes.size()}, [&] { return take(bytes); });
  }

  // Opens what came in a round, which must be exactly one upload, and checks its token.
  Seen only_upload(std::uint64_t round) const {
    const auto found = uploads.find(round);
    EXPECT_TRUE(found != uploads.end() && found->second.size() == 1) << "round " << round;
    return found == uploads.end() ? Seen{} : open_one(round, *found->second.begin());
  }

  Seen open_one(std::uint64_t round, const wire::Buffer& bytes) const {
    wire::OpenedUpload opened{};
    const wire::Hash hash = hashes.at(round);
    EXPECT_EQ(wire::open_upload(shuffler, round, hash, sizes_, bytes, opened), wire::UploadFault::none);
    EXPECT_TRUE(wire::verify_token(issuer_.key(round).public_key(),
                                   wire::round_challenge_digest(task_.name(), round), opened.token));
    Seen seen{opened.kind, opened.token, wire::Buffer(sizes_.payload)};
    EXPECT_EQ(wire::open_inner(aggregator, hash, opened.inner, seen.payload),
              opened.kind == wire::UploadKind::report);
    return seen;
  }

  wire::Descriptor descriptor;
  std::int64_t end = 0;
  bool is_open = false;
  wire::Buffer over;                                    // what it shows as the notice that the task is over
  std::function<bool()> silent = [] { return false; };  // whether uploads do not even leave the device
  std::optional<Answer> answers;  // what it answers to every upload, if it is not to look at it
  std::map<wire::Hash, wire::Buffer> blobs;
  std::map<std::uint64_t, std::set<wire::Buffer>> uploads;  // those that differ, by round
  std::map<std::uint64_t, wire::Hash> hashes;               // of the rounds' descriptors
  wire::SigningKey aggregator_signer = key_of_byte(1), shuffler_signer = key_of_byte(3);
  wire::HpkeKeyPair shuffler = wire::HpkeKeyPair::fresh(), aggregator = wire::HpkeKeyPair::fresh();

 private:
  Answer take(wire::Bytes bytes) {
    hashes[descriptor.round] = wire::descriptor_hash(descriptor);
    uploads[descriptor.round].insert(wire::Buffer(bytes.begin(), bytes.end()));
    if (answers) return *answers;
    if (!is_open || clock_.steady_ms() >= end) return Answer::over;
    wire::OpenedUpload opened{};
    const auto fault =
        wire::open_upload(shuffler, descriptor.round, hashes[descriptor.round], sizes_, bytes, opened);
    return fault == wire::UploadFault::none ? Answer::stored : Answer::refused;
  }

  const TaskDocument& task_;
  Clock& clock_;
  TestIssuer& issuer_;
  Network& network_;
  wire::UploadSizes sizes_;
};

}  // namespace muster::service
