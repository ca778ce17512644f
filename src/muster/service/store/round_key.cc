#include "muster/service/store/round_key.h"

#include <sodium.h>

#include <span>
#include <utility>

#include "muster/service/store/sized_blob.h"
#include "muster/wire/secret_bytes.h"

namespace muster::service {
namespace {

constexpr std::size_t kLength = 8 + wire::kHpkeKey;

}  // namespace

std::optional<RoundKey> read_round_key(Store& store) {
  auto blob = sized_blob(store, kRoundKeyBlob, kLength);
  if (!blob) return std::nullopt;
  wire::FieldReader fields(*blob);
  const auto round = fields.integer<std::uint64_t>();
  wire::SecretBytes<wire::kHpkeKey> secret(std::span<const std::uint8_t, wire::kHpkeKey>(fields.rest()));
  sodium_memzero(blob->data(), blob->size());
  return RoundKey{round, wire::HpkeKeyPair::from_secret(std::move(secret))};
}

wire::Buffer encode(const RoundKey& key) {
  return wire::FieldWriter(kLength).integer(key.round).bytes(key.pair.secret().span()).take();
}

}  // namespace muster::service
