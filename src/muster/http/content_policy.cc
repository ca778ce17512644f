#include "muster/http/content_policy.h"

#include <fmt/format.h>
#include <sodium.h>

#include <array>

#include "muster/wire/bytes.h"

namespace muster::service {

std::string content_policy(std::string_view style) {
  const wire::Bytes bytes = wire::bytes_of(style);
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), bytes.data(), bytes.size());
  constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
  std::array<char, sodium_base64_ENCODED_LEN(crypto_hash_sha256_BYTES, sodium_base64_VARIANT_ORIGINAL)>
      text{};
  sodium_bin2base64(text.data(), text.size(), hash.data(), hash.size(), kVariant);
  return fmt::format(
      "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'; frame-ancestors "
      "'none'",
      text.data());
}

}  // namespace muster::service
