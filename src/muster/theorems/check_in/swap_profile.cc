#include "muster/theorems/check_in/swap_profile.h"

#include <cmath>

#include "muster/core/error.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

SumShape shape_of(const ShuffledCheckIn& protocol) {
  if (protocol.rate().value() >= 1) {
    throw Error(ErrorCode::uncovered, "participation.rate", "1",
                "a rate below 1, or the privacy-blanket theorem",
                "the swap theorem needs clients that may abstain");
  }
  const double n = static_cast<double>(protocol.clients().value());
  return {1 / n, n, protocol.rate().value(), n};
}

// Computes the whole bound of swap_profile.h: the sum, plus g^n A(E).
numerics::UpperAndEstimate with_all_reporting(const ReportingSum& sum, const ShuffledCheckIn& protocol,
                                              double epsilon) {
  const SumShape shape = shape_of(protocol);
  const numerics::UpperAndEstimate some = sum.delta(shape, epsilon);
  const double nobody_absent =
      std::exp(shape.count * std::log(shape.rate)) * (1 + numerics::kEightThousandRoundings);
  const numerics::UpperAndEstimate all = sum.everybody({shape.count, 1, nobody_absent}, epsilon, some.upper);
  return {.upper = numerics::as_upper_bound((some.upper + all.upper) * (1 + numerics::kEightRoundings)),
          .estimate = numerics::as_lower_bound(some.estimate + all.estimate)};
}

}  // namespace

numerics::UpperAndEstimate swap_delta(const Profile& profile, const ShuffledCheckIn& protocol,
                                      double epsilon) {
  return with_all_reporting(ReportingSum(profile), protocol, epsilon);
}

numerics::UpperAndEstimate swap_delta(const ReportingSum& sum, const ShuffledCheckIn& protocol,
                                      double epsilon) {
  return with_all_reporting(sum, protocol, epsilon);
}

}  // namespace muster::accounting
