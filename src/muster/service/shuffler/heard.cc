#include "muster/service/shuffler/heard.h"

#include <sodium.h>

#include <algorithm>

#include "muster/core/error.h"
#include "muster/random/os_bytes.h"

namespace muster::service {
namespace {

// Where a token has its nonce (wire/token.h).
constexpr std::size_t kNonce = 2;

std::array<std::uint8_t, 16> fresh_key() {
  std::array<std::uint8_t, 16> key;
  random::fill_from_os(key);
  return key;
}

}  // namespace

std::uint64_t Heard::KeyedHash::operator()(wire::Bytes bytes) const {
  static_assert(crypto_shorthash_KEYBYTES == std::tuple_size_v<Key> &&
                crypto_shorthash_BYTES == sizeof(std::uint64_t));
  std::array<std::uint8_t, sizeof(std::uint64_t)> hash;
  crypto_shorthash(hash.data(), bytes.data(), bytes.size(), key.data());
  return wire::FieldReader(hash).integer<std::uint64_t>();
}

Heard::Heard(std::size_t width)
    : width_(width), hash_{fresh_key()}, spent_(0, hash_), encapsulated_(0, hash_) {}

Heard::Upload Heard::take(const wire::OpenedUpload& opened, wire::Bytes upload) {
  if (opened.inner.size() != width_) {
    throw Error(ErrorCode::internal, "inner layer", "", "", "has another width than the round's");
  }
  Nonce nonce;
  std::copy_n(opened.token.begin() + kNonce, nonce.size(), nonce.begin());
  const std::uint64_t bytes = hash_(upload);
  const auto found = spent_.find(nonce);
  if (found != spent_.end()) return found->second == bytes ? Upload::again : Upload::other;
  if (opened.kind == wire::UploadKind::report) {
    const auto key = wire::FieldReader(opened.inner).array<wire::kHpkeKey>();
    if (!encapsulated_.insert(key).second) return Upload::copied;
    inner_.insert(inner_.end(), opened.inner.begin(), opened.inner.end());
  }
  spent_.emplace(nonce, bytes);
  return Upload::first;
}

}  // namespace muster::service
