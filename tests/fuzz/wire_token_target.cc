// This target reads public keys and verifies tokens. An input is a key in the form that take_counted() reads,
// and then a token.
#include <algorithm>
#include <cstdlib>

#include "muster/wire/token.h"
#include "tests/fuzz/fuzz_target.h"

namespace muster::fuzz {

bool accepts(Input input) {
  static const wire::Hash digest = wire::round_challenge_digest(wire::Hash{}, 0);
  const Input encoded = take_counted(input);
  const auto key = wire::RsaPublicKey::decode(encoded);
  if (!key) return false;
  if (!std::ranges::equal(key->encoded(), encoded)) std::abort();
  return wire::verify_token(*key, digest, input);
}

}  // namespace muster::fuzz
