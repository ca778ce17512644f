// The result types of the certified numerics: an interval that certainly contains the true value, and an
// upper bound without a proven lower bound. Types only; there is nothing to call.
#pragma once

namespace muster::numerics {

struct Enclosure {
  double lower;
  double upper;
};

// `upper` is at least the true value. `estimate` is at most `upper`, but is not known to lie below or above
// the true value. The difference of the two is about what a sharper computation could gain.
struct UpperAndEstimate {
  double upper;
  double estimate;
};

}  // namespace muster::numerics
