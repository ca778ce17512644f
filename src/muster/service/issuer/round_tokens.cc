#include "muster/service/issuer/round_tokens.h"

#include <utility>

#include "muster/core/error.h"
#include "muster/wire/hash.h"

namespace muster::service {

RoundTokens::RoundTokens(wire::RsaSecretKey key, std::unique_ptr<Log> log, const Enrolment& enrolment,
                         const std::string& origin)
    : key_(std::move(key)), log_(std::move(log)) {
  log_->read_all([&](wire::Bytes record) {
    wire::FieldReader fields(record);
    const auto number = enrolment.number_of(fields.array<32>());
    if (!number || has_asked(*number)) {
      throw Error(ErrorCode::file, origin, "", "",
                  number ? "has two tokens of one device for a round" : "has a token of an unknown device");
    }
    remember(*number, fields.array<32>());
  });
}

RoundTokens::Before RoundTokens::asked(std::uint32_t device, const wire::TokenRequest& request) const {
  if (!has_asked(device)) return Before::never;
  return requests_[device] == wire::hash_of({request}) ? Before::the_same : Before::another;
}

void RoundTokens::note(std::uint32_t number, const wire::IdentityKey& device,
                       const wire::TokenRequest& request) {
  if (has_asked(number)) throw Error(ErrorCode::internal, "device", "", "", "has a token already");
  const wire::Hash hash = wire::hash_of({request});
  log_->append(wire::FieldWriter(kWidth).bytes(device).bytes(hash).take());
  synced_ = false;
  remember(number, hash);
}

void RoundTokens::sync() {
  if (synced_) return;
  log_->sync();
  synced_ = true;
}

bool RoundTokens::has_asked(std::uint32_t device) const {
  return device < requests_.size() && requests_[device] != wire::Hash{};
}

void RoundTokens::remember(std::uint32_t device, const wire::Hash& request) {
  if (device >= requests_.size()) requests_.resize(std::size_t{device} + 1);
  requests_[device] = request;
}

}  // namespace muster::service
