// This target is the reader of the file of a randomizer's privacy profile. An input is a CSV file. A profile
// that is accepted must not increase, its values must lie in [0, 1], and the masses of its law must add up to
// at least 1, but for rounding, and to less than 2.
#include <cmath>

#include "muster/core/error.h"
#include "muster/plan/profile_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace muster::fuzz {
namespace {

void require_profile(const accounting::ProfileLocal& given) {
  double before = 1;
  for (const double l : {0.0, 1e-9, 0.1, 1.0, 5.0, 50.0, 600.0, 690.0, 1e4}) {
    const double value = given.profile().divergence(l), tail = given.profile().alternative_tail(l);
    // Each value is rounded up by itself, and may so exceed the one before it.
    if (!(value >= 0 && value <= before * (1 + 1e-15) && tail >= 0 && tail <= 1)) std::abort();
    before = value;
  }
  const accounting::Profile profile = given.profile().profile();
  double total = profile.mass_at_infinity();
  for (const double mass : profile.p_masses()) total += mass;
  if (!(total >= 1 - 1e-9 && total < 2)) std::abort();
}

}  // namespace

bool accepts(Input input) {
  return accepted([&] { require_profile(protocols::profile_of_text(text_of(input), "profile.csv")); },
                  {ErrorCode::plan});
}

}  // namespace muster::fuzz
