// This target reads payloads. The first byte of an input chooses the randomizer. A payload that is read
// must be written in the same bytes.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/k_rr.h"
#include "muster/randomizers/l1.h"
#include "muster/randomizers/laplace.h"
#include "muster/randomizers/ldp_sgd.h"
#include "muster/randomizers/linf.h"
#include "muster/wire/payload.h"
#include "tests/fuzz/fuzz_target.h"

namespace muster::fuzz {

bool accepts(Input input) {
  static const std::array<wire::PayloadFormat, 6> formats{
      wire::PayloadFormat(*randomizers::make_ldp_sgd(2, 1, 9)),
      wire::PayloadFormat(*randomizers::make_linf(2, 1, 20'000)),
      wire::PayloadFormat(*randomizers::make_l1(2, 1, 9)),
      wire::PayloadFormat(*randomizers::make_k_rr(2, 10)),
      wire::PayloadFormat(*randomizers::make_laplace(2, 1)),
      wire::PayloadFormat(*randomizers::make_gaussian(20, 1, 9))};
  if (input.empty() || input[0] >= formats.size()) return false;
  const wire::PayloadFormat& format = formats[input[0]];
  const Input payload = input.subspan(1);
  randomizers::Message message;
  if (format.decode(payload, message) != wire::PayloadFault::none) return false;
  wire::Buffer again(format.size());
  format.encode(message, again);
  if (!std::ranges::equal(again, payload)) std::abort();
  return true;
}

}  // namespace muster::fuzz
