// Signed notices about a round. In each of them one role tells another one a single thing.
//
//     notice = version u8 | task 32 | round u64 | signature 64                                      105 bytes
//
//     kind               signed by    says
//     close issuance     shuffler     to the issuer: give no more tokens for this round
//     release notice     shuffler     to the issuer: the reports of this round are about to be handed out
//     task over          aggregator   to the shuffler and all devices: this round was the last one
//
// The kind of the signature tells them apart. The functions are pure and may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "muster/wire/bytes.h"
#include "muster/wire/signature.h"

namespace muster::wire {

struct RoundNotice {
  Hash task{};
  std::uint64_t round = 0;
  bool operator==(const RoundNotice&) const = default;
};

inline constexpr std::size_t kRoundNotice = 1 + 32 + 8 + 64;

Buffer sign_close_issuance(const RoundNotice& close, const SigningKey& shuffler);
Buffer sign_release_notice(const RoundNotice& release, const SigningKey& shuffler);
Buffer sign_task_over(const RoundNotice& over, const SigningKey& aggregator);
// Return nullopt unless this is a notice of that kind, signed by that role.
std::optional<RoundNotice> read_close_issuance(Bytes signed_close, const IdentityKey& shuffler);
std::optional<RoundNotice> read_release_notice(Bytes signed_release, const IdentityKey& shuffler);
std::optional<RoundNotice> read_task_over(Bytes signed_over, const IdentityKey& aggregator);

}  // namespace muster::wire
