#include "muster/accounting/bounds/swap/swap_profile.h"

#include <algorithm>
#include <cmath>

#include "muster/core/error.h"

namespace muster::accounting {
namespace {

SumShape shape_of(const ShuffledCheckIn& protocol) {
  if (protocol.rate.value() >= 1) {
    throw Error(ErrorCode::uncovered, "participation.rate", "1",
                "a rate below 1, or the privacy-blanket theorem",
                "the swap theorem needs clients that may abstain");
  }
  const double n = static_cast<double>(protocol.clients.value());
  return {1 / n, n, protocol.rate.value(), n};
}

// + g^n f(E): everybody reports.
numerics::Enclosure with_all_reporting(const numerics::Enclosure& sum, const SumShape& shape, double local) {
  const double all = std::exp(shape.count * std::log(shape.rate)) * local;
  return {sum.lower, std::min(1.0, (sum.upper + all) * (1 + 1e-15))};
}

}  // namespace

numerics::Enclosure swap_delta(const Profile& profile, const ShuffledCheckIn& protocol, double epsilon) {
  const SumShape shape = shape_of(protocol);
  return with_all_reporting(reporting_sum(profile, shape, epsilon), shape, profile.at(std::exp(epsilon)));
}

numerics::Enclosure swap_delta(const ReportingSum& sum, const ShuffledCheckIn& protocol, double epsilon) {
  const SumShape shape = shape_of(protocol);
  return with_all_reporting(sum.delta(shape, epsilon), shape, sum.local(epsilon));
}

}  // namespace muster::accounting
