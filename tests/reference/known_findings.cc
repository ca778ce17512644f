// Findings that wait for their correction: each is reported in every run, and leaves this list when it is
// corrected.
#include "tests/reference/tally.h"

namespace muster::reference {

const std::vector<Known>& known_findings() {
  static const std::vector<Known> list = {
      {1, 125, "an answer or a refusal",
       "just below the largest loss a delta below every double comes out as 0, which the gate refuses"},
  };
  return list;
}

}  // namespace muster::reference
