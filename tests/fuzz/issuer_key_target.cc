// This target reads the issuer's private keys. A key that is read must sign.
#include <cstdlib>

#include "muster/wire/token.h"
#include "tests/fuzz/fuzz_target.h"

namespace muster::fuzz {

bool accepts(Input input) {
  const auto key = wire::RsaSecretKey::decode(input);
  if (!key) return false;
  const wire::Hash digest{};
  const wire::PendingToken pending = wire::begin_token(key->public_key(), digest);
  const auto response = wire::issue_token(*key, pending.request);
  if (!response || !wire::finish_token(key->public_key(), pending, *response)) std::abort();
  return true;
}

}  // namespace muster::fuzz
