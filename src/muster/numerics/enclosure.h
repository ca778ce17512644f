// An interval that certainly contains the true value: the result type of the certified numerics.
#pragma once

namespace muster::numerics {

struct Enclosure {
  double lower;
  double upper;
};

}  // namespace muster::numerics
