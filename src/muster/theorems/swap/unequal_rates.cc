#include "muster/theorems/swap/unequal_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "muster/core/error.h"
#include "muster/describe/laws/reporting_law.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/mean_of_terms.h"

namespace muster::accounting {
namespace {

constexpr double kImprobable = 1e-36;  // a block of N less likely than this is charged at delta = 1

void check(double lo, double hi) {
  if (!(lo > 0 && lo <= hi && hi < 1)) {
    throw Error(ErrorCode::uncovered, "participation.rate", fmt::format("{}:{}", lo, hi), "0 < lo <= hi < 1",
                "Theorem 7 (unequal rates) needs every client to report with a probability bounded away from "
                "0 and 1");
  }
}

}  // namespace

UnequalRatesCurve::UnequalRatesCurve(ReportingSum sum, double n, double lo, double hi)
    : sum_(std::move(sum)) {
  check(lo, hi);
  const double theta = lo / hi;
  // In ReportingSum, the centred term of an absent client is 0 and that of a revealed client is 1 - 1/E.
  shape_ = {.factor = 1 / (n * theta), .count = n, .rate = lo, .threshold = n, .revealed = (hi - lo) / hi};
  // The probability that another client reports or is revealed: 1 - theta (1 - hi), without cancellation.
  const double not_absent = shape_.revealed + lo;
  everybody_ = hi * std::exp((n - 1) * log_probability(not_absent, theta * (1 - hi)));
  reporting_ = numerics::smaller(1.0, lo / not_absent * (1 - numerics::kEightRoundings));
}

numerics::UpperAndEstimate UnequalRatesCurve::delta(double epsilon) const {
  const numerics::UpperAndEstimate sum = sum_.delta(shape_, epsilon);
  const numerics::UpperAndEstimate all =
      sum_.everybody({shape_.count, reporting_, everybody_}, epsilon, sum.upper);
  return {.upper = numerics::as_upper_bound((sum.upper + all.upper) * (1 + numerics::kEightyRoundings)),
          .estimate = numerics::as_lower_bound(sum.estimate + all.estimate)};
}

UnequalRatesMixture::UnequalRatesMixture(double n, double lo, double hi, Family family, double fineness)
    : family_(std::move(family)) {
  check(lo, hi);
  // The bounds fall with the number of clients, so lo / hi is rounded down. Where the rates are nearly
  // equal, its rounding error is large compared with 1 - lo / hi, the probability of a revealed coin.
  const double share = lo < hi ? std::nextafter(lo / hi, 0.0) : 1;
  for (const numerics::BinomialBlock& block : numerics::binomial_blocks(n - 1, share, 90, fineness)) {
    if (block.weight < kImprobable) {
      improbable_ += block.weight;
    } else {
      blocks_.push_back(block);
    }
  }
  std::sort(
      blocks_.begin(), blocks_.end(),
      [](const numerics::BinomialBlock& x, const numerics::BinomialBlock& y) { return x.first < y.first; });
}

void UnequalRatesMixture::merge() {
  // A new block begins where the cumulative weight passes one of these values. Values of N far below the mean
  // are so improbable that they can share a block and be charged at its much smaller first N. Values far
  // above the mean can all be charged at one N.
  constexpr std::array kCuts{1e-30, 1e-24, 1e-19, 1e-15, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 4e-3,
                             0.01,  0.03,  0.06,  0.12,  0.2,   0.3,  0.4,  0.5,  0.6,  0.7,  0.8,  0.9};
  // Blocks whose smallest N differ by at most this share are merged. Over so narrow a range of N, the bound
  // varies by less than the other merges change the average.
  constexpr double kAlike = 2e-5;
  const auto alike = [&](const numerics::BinomialBlock& a, const numerics::BinomialBlock& b) {
    return b.first - a.first <= kAlike * a.first;
  };
  if (blocks_.size() <= kCuts.size() && !alike(blocks_.front(), blocks_.back())) return;
  std::vector<numerics::BinomialBlock> merged;
  double cumulative = 0;
  std::size_t next = 0;
  for (const numerics::BinomialBlock& block : blocks_) {
    if (merged.empty() ||
        (next < kCuts.size() && cumulative >= kCuts[next] && !alike(merged.back(), block))) {
      merged.push_back(block);
    } else {
      merged.back().last = block.last;
      merged.back().weight += block.weight;
    }
    while (next < kCuts.size() && cumulative >= kCuts[next]) ++next;
    cumulative += block.weight;
  }
  blocks_ = std::move(merged);
}

numerics::UpperAndEstimate UnequalRatesMixture::delta(double epsilon) const {
  double least = 1, upper = improbable_;
  double least_estimate = 1, estimate = 0;
  for (const numerics::BinomialBlock& block : blocks_) {
    const numerics::UpperAndEstimate value = family_(block.first + 1, epsilon);
    if (value.upper < least) least = value.upper;
    if (value.estimate < least_estimate) least_estimate = value.estimate;
    upper += block.weight * least;
    estimate += block.weight * least_estimate;
  }
  // The weights sum to slightly more than 1, because of the two tails' Chernoff bounds and rounding; the
  // estimate is lowered by the relative bound kBlocksExceedOne on this surplus.
  const double top = upper * (1 + numerics::kEightyRoundings);
  return {.upper = top < 1 ? top : 1,
          .estimate = numerics::larger(0.0, estimate * (1 - numerics::kBlocksExceedOne))};
}

UnequalRatesPair::UnequalRatesPair(double epsilon0, double n, double lo, double hi)
    : epsilon0_(epsilon0), n_(n), lo_(lo), hi_(hi) {}

// Encloses (1/n) * mean of ( sum of n terms )_+. A term is (1 - hi)/(1 - lo) * (1 - E) with probability
// 1 - lo (an absent client). Otherwise it is (hi/lo) * rare if the likelihood ratio r is e^epsilon0
// (probability 1/(e^epsilon0 + 1)), and (hi/lo) * common if r is e^-epsilon0.
numerics::Enclosure UnequalRatesPair::curve(long double rare, long double common, double epsilon) const {
  if (epsilon >= epsilon0_) return {0, 0};  // no likelihood ratio is above e^epsilon0
  const long double lo = lo_, hi = hi_, e0 = epsilon0_;
  const long double q = 1 / (std::expm1(e0) + 2), p = std::exp(e0) * q;
  const long double own = hi / lo, stay = (1 - hi) / (1 - lo),
                    absent = -std::expm1(static_cast<long double>(epsilon));
  const numerics::Enclosure mean =
      numerics::mean_of_terms({{own * rare, lo * q}, {own * common, lo * p}, {stay * absent, 1 - lo}}, n_);
  // The factors `own` and `stay` are quotients of rounded numbers, off by a few units of extended precision.
  return {numerics::as_lower_bound(mean.lower * (1 - numerics::kEightThousandRoundings)),
          numerics::as_upper_bound(mean.upper * (1 + numerics::kEightThousandRoundings))};
}

numerics::Enclosure UnequalRatesPair::forward(double epsilon) const {  // a client's term is r - E
  const long double e = epsilon, e0 = epsilon0_;
  return curve(std::exp(e) * std::expm1(e0 - e), std::exp(e) * std::expm1(-e0 - e), epsilon);
}

numerics::Enclosure UnequalRatesPair::reverse(double epsilon) const {  // a client's term is 1 - E r
  const long double e = epsilon, e0 = epsilon0_;
  return curve(-std::expm1(e + e0), -std::expm1(e - e0), epsilon);
}

}  // namespace muster::accounting
