#include "muster/accounting/bounds/unequal_rates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "muster/core/error.h"

namespace muster::accounting {
namespace {

void check(double lo, double hi) {
  if (!(lo > 0 && lo <= hi && hi < 1)) {
    throw Error(ErrorCode::uncovered, "participation.rate", "", "0 < lo <= hi < 1",
                "theorem H needs every client to report with a probability bounded away from 0 and 1");
  }
}

}  // namespace

UnequalRatesCurve::UnequalRatesCurve(ReportingSum sum, double n, double lo, double hi)
    : sum_(std::move(sum)) {
  check(lo, hi);
  const double theta = lo / hi;
  // Centred at 1 - E: a silent client's term is 0, a revealed one's E - 1.
  shape_ = {.factor = 1 / (n * theta), .count = n, .rate = lo, .strike = n};
  revealed_ = (hi - lo) / hi;
  everybody_ = hi * std::exp((n - 1) * std::log1p(-theta * (1 - hi)));
}

numerics::Enclosure UnequalRatesCurve::delta(double epsilon) const {
  const auto reveal = [&](numerics::AtomicLaw law) {
    // reporting_law's last atom is X* = 0, at E - 1 as well: one atom, so that few clients are enumerated.
    const double point = std::expm1(epsilon);
    if (!law.points.empty() && law.points.back() == point) {
      law.weights.back() += revealed_;
    } else {
      law.add(point, revealed_);
    }
    return law;
  };
  const numerics::Enclosure sum =
      revealed_ > 0 ? sum_.delta(shape_, epsilon, reveal) : sum_.delta(shape_, epsilon);
  const double upper = (sum.upper + everybody_ * sum_.local(epsilon)) * (1 + 1e-14);
  return {sum.lower, upper < 1 ? upper : 1};
}

UnequalRatesMixture::UnequalRatesMixture(double n, double lo, double hi, Family family, double fineness)
    : family_(std::move(family)) {
  check(lo, hi);
  blocks_ = binomial_blocks(n - 1, lo / hi, 80, fineness);
  std::sort(blocks_.begin(), blocks_.end(),
            [](const BinomialBlock& x, const BinomialBlock& y) { return x.first < y.first; });
}

numerics::Enclosure UnequalRatesMixture::delta(double epsilon) const {
  double least = 1, upper = 0;
  double least_below = 1, lower = 0;
  for (const BinomialBlock& block : blocks_) {
    const numerics::Enclosure value = family_(block.first + 1, epsilon);
    if (value.upper < least) least = value.upper;
    if (value.lower < least_below) least_below = value.lower;
    upper += block.weight * least;
    lower += block.weight * least_below;
  }
  // The weights sum to 1 plus the two tails' Chernoff bounds and rounding.
  return {std::max(0.0, lower * (1 - 1e-6)), std::min(1.0, upper * (1 + 1e-14))};
}

}  // namespace muster::accounting
