// A number known to lie between two computed ones: what certified numerics return.
#pragma once

namespace muster::numerics {

struct Enclosure {
  double lower;
  double upper;
};

}  // namespace muster::numerics
