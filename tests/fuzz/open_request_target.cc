// This target reads the bodies of requests to open a round. A request that is read must be encoded to the
// same bytes.
#include <algorithm>
#include <cstdlib>

#include "muster/http/open_request.h"
#include "tests/fuzz/fuzz_target.h"

namespace muster::fuzz {

bool accepts(Input input) {
  const auto request = service::read_open_request(input);
  if (request && !std::ranges::equal(service::encode(*request), input)) std::abort();
  return request.has_value();
}

}  // namespace muster::fuzz
