#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <map>

#include "muster/core/error.h"
#include "muster/plan/keys.h"
#include "muster/plan/plan.h"

namespace muster::protocols {

std::string Plan::canonical() const {
  std::map<std::string_view, std::string> lines;
  for (const KeySpec& spec : plan_keys()) {
    if (const std::optional<std::string> text = spec.canonical(values_)) {
      lines.emplace(spec.key, *text);
    }
  }
  std::string text;
  for (const auto& [key, value] : lines) {
    text += fmt::format("{} = {}\n", key, value);
  }
  return text;
}

std::string Plan::hash() const { return hash_of(canonical()); }

std::string hash_of(std::string_view text) {
  constexpr std::size_t kBytes = 32;  // the length of a BLAKE2b-256 hash
  std::array<unsigned char, kBytes> digest{};
  if (sodium_init() < 0 ||
      crypto_generichash(digest.data(), digest.size(), reinterpret_cast<const unsigned char*>(text.data()),
                         text.size(), nullptr, 0) != 0) {
    throw Error(ErrorCode::internal, "hash", "", "", "libsodium refused to hash the plan");
  }
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace muster::protocols
