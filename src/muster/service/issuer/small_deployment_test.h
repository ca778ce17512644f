// A small deployment for the issuer's tests: a task that needs four devices, devices and roles with fixed
// keys, and two stored RSA keys that its rounds take in turn. Call from the thread of the test.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/service/issuer/issuer.h"
#include "muster/service/task/plans_test.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/issuance.h"
#include "muster/wire/issuer_keys_test.h"
#include "muster/wire/key_directory.h"
#include "muster/wire/round_notice.h"
#include "muster/wire/signature.h"
#include "muster/wire/token.h"

namespace muster::service {

inline constexpr std::uint64_t kMostRounds = 70, kNeeded = 4;

inline wire::SigningKey key_of_seed(std::uint8_t seed) {
  std::array<std::uint8_t, 32> bytes{};
  bytes.front() = seed;
  return wire::SigningKey::from_seed(wire::SecretBytes<32>(bytes));
}
inline wire::SigningKey issuer_identity() { return key_of_seed(1); }
inline wire::SigningKey shuffler_identity() { return key_of_seed(2); }
inline const wire::SigningKey& device_identity(std::uint8_t device) {
  static std::map<std::uint8_t, wire::SigningKey> keys;
  const auto found = keys.find(device);
  if (found != keys.end()) return found->second;
  return keys.emplace(device, key_of_seed(static_cast<std::uint8_t>(100 + device))).first->second;
}
inline std::vector<wire::IdentityKey> devices(std::uint8_t count) {
  std::vector<wire::IdentityKey> keys;
  for (std::uint8_t device = 0; device < count; ++device) keys.push_back(device_identity(device).identity());
  return keys;
}

// Two lengths of a round make two tasks, which are alike in everything else.
inline TaskDocument small_task(std::uint64_t seconds = 5) {
  TaskSettings settings;
  settings.malicious = 1;
  settings.seconds = seconds;
  settings.most_rounds = kMostRounds;
  settings.issuer = issuer_identity().identity();
  settings.shuffler = shuffler_identity().identity();
  settings.aggregator = key_of_seed(3).identity();
  return TaskDocument::make(deployed_plan().with("population.clients", "3"), settings);
}

// One stored key serves rounds with odd numbers, and the other one those with even numbers.
inline const wire::RsaSecretKey& stored_key(std::uint64_t number) {
  static const std::array<wire::RsaSecretKey, 2> keys{wire::stored_issuer_key(), wire::other_issuer_key()};
  return keys[number % 2];
}
// Returns a function that gives the stored keys in turn, beginning with stored_key(first).
inline Issuer::MakeKey stored_keys(std::uint64_t first = 1) {
  return [next = first]() mutable { return stored_key(next++); };
}

// Returns a device's request for a token of the round, whose key is in the directory. Every call makes
// another request.
inline wire::PendingToken begin(const wire::KeyDirectory& directory, std::uint64_t round) {
  for (const auto& entry : directory.entries) {
    if (entry.round != round) continue;
    return wire::begin_token(wire::RsaPublicKey::of_modulus(entry.modulus).value(),
                             wire::round_challenge_digest(directory.task, round));
  }
  ADD_FAILURE() << "round " << round << " has no key";
  return {};
}

inline wire::Buffer block_of(std::uint8_t device, std::vector<wire::TokenBlock::Entry> entries,
                             const wire::Hash& task) {
  const wire::SigningKey& key = device_identity(device);
  return wire::sign_token_block({task, key.identity(), std::move(entries)}, key);
}

inline wire::Buffer order_to_close(std::uint64_t round, const wire::Hash& task) {
  return wire::sign_close_issuance({task, round}, shuffler_identity());
}

inline wire::Buffer notice_of_release(std::uint64_t round, const wire::Hash& task) {
  return wire::sign_release_notice({task, round}, shuffler_identity());
}

inline wire::KeyDirectory read(wire::Bytes signed_directory) {
  const auto directory = wire::read_key_directory(signed_directory, issuer_identity().identity());
  EXPECT_TRUE(directory.has_value());
  return directory.value_or(wire::KeyDirectory{});
}

}  // namespace muster::service
