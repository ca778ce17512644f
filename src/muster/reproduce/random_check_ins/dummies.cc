#include "muster/reproduce/random_check_ins/dummies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/reproduce/points.h"

namespace muster::reproduce {
namespace {

constexpr std::uint64_t kSeed = 2020;
constexpr double kLimit = 4;  // the largest accepted deviation, in standard errors of the mean

}  // namespace

DummyCount count_dummies(protocols::RollCall& roll_call, std::uint64_t slots) {
  std::vector<protocols::Sender> senders;
  double sum = 0, squares = 0;
  for (std::uint64_t run = 0; run < kDummyRuns; ++run) {
    senders.clear();
    for (std::uint64_t slot = 1; slot <= slots; ++slot) {
      roll_call.append_senders(run * slots + slot, {}, senders);
    }
    const auto dummies = static_cast<double>(
        std::count_if(senders.begin(), senders.end(), [](const auto& s) { return s.dummy; }));
    sum += dummies;
    squares += dummies * dummies;
  }
  // The sums are exact, because they are sums of integers.
  const auto runs = static_cast<double>(kDummyRuns);
  const double mean = sum / runs, variance = (squares - sum * mean) / (runs - 1);
  return {mean, std::sqrt(std::max(variance, 0.0) / runs)};
}

random::RunKey dummy_key() { return random::RunKey::from_seed(kSeed); }

protocols::CheckInCoins dummy_coins(double p0) { return {dummy_key(), p0, 0.0}; }

void DummyComparison::add(const DummyCount& count, double expected) {
  ++points_;
  if (count.mean == expected) return;  // no deviation, even if the standard error is 0
  largest_ = std::max(largest_, std::fabs(count.mean - expected) / count.standard_error);
}

bool DummyComparison::agrees() const { return largest_ <= kLimit; }

std::string DummyComparison::words() const {
  const double one = std::erfc(kLimit / std::sqrt(2.0));
  return fmt::format(
      "over {} simulated runs at each of {} points the mean number of dummies is within {:.2f} standard "
      "errors of the exact expectation; {} are allowed, and chance exceeds them on either side with "
      "probability {:.1g} at a point and at most {:.1g} at any of them",
      power_of_ten(kDummyRuns), points_, largest_, kLimit, one, one * points_);
}

}  // namespace muster::reproduce
