#include "muster/composition/adaptive_rounds.h"

#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using numerics::kUlp;
using numerics::larger;
using numerics::smaller;

// V (adaptive_rounds.h) is stored after every kEvery rounds, so that a question about fewer
// rounds need not start at 0.
constexpr std::uint64_t kEvery = 32;
// The number of points that the loops compute together, so that the compiler can use vector instructions.
constexpr std::size_t kLanes = 8;
// From kSmoothFrom rounds on, types marked `rarely_worst` are computed only at every kStride-th
// lattice point.
constexpr std::size_t kStride = 2;
// After this many rounds, V is so smooth that skipping points makes the computed V hardly larger.
constexpr std::uint64_t kSmoothFrom = 32;

}  // namespace

AdaptiveRounds::AdaptiveRounds(RoundTypes types, std::size_t points) : types_(std::move(types)) {
  std::int64_t farthest = 1;
  for (const RoundType& type : types_.types) {
    for (const std::int64_t loss : type.losses) farthest = larger(farthest, loss, -loss);
  }
  margin_ = static_cast<std::size_t>(farthest);
  points_ = (points + kLanes * kStride) / (kLanes * kStride) * (kLanes * kStride) + 1;
  // The loops of one_round() compute several points at a time and read a little beyond the last one.
  values_.assign(margin_ + points_ + margin_ + kLanes * kStride, 0.0);
  // The product takes one rounding (slack.h), which changes 1 - e^-x by at most one rounding of itself. expm1
  // takes two, and the last product one.
  for (std::size_t i = 1; i <= margin_; ++i) {
    values_[margin_ - i] = -std::expm1(-types_.spacing * static_cast<double>(i)) * (1 + 4 * kUlp);
  }
}

// One step of the recursion for V if the next round has the given type: infinity + sum of p(l) V(e - l), at
// every `stride`-th lattice point e.
std::vector<double> AdaptiveRounds::one_round(const RoundType& type, std::size_t stride) const {
  std::vector<double> next(points_ + kLanes * stride, 0.0);
  // With A losses, the products and sums take A + 1 roundings, this factor one, and the product with the
  // factor one.
  const double rounding = 1 + kUlp * (8 + static_cast<double>(type.losses.size()));
  for (std::size_t i = 0; i < points_; i += kLanes * stride) {
    double sums[kLanes] = {};
    for (std::size_t a = 0; a < type.losses.size(); ++a) {
      const double mass = type.masses[a];
      const double* from =
          &values_[static_cast<std::size_t>(static_cast<std::int64_t>(margin_ + i) - type.losses[a])];
      if (stride == 1) {
        for (std::size_t k = 0; k < kLanes; ++k) sums[k] += mass * from[k];
      } else {
        for (std::size_t k = 0; k < kLanes; ++k) sums[k] += mass * from[k * kStride];
      }
    }
    for (std::size_t k = 0; k < kLanes; ++k) next[i + k * stride] = (sums[k] + type.infinity) * rounding;
  }
  next.resize(points_);
  return next;
}

void AdaptiveRounds::step() const {
  std::vector<double> worst(points_, 0.0);
  for (const RoundType& type : types_.types) {
    const bool strided = type.rarely_worst && rounds_ >= kSmoothFrom;
    std::vector<double> next = one_round(type, strided ? kStride : 1);
    if (strided) {
      // Chords in alpha give the values at the skipped points. These are upper bounds too. The exact V is
      // convex in alpha, so it is at most the greatest convex minorant of the computed V. A step from this
      // minorant gives a convex function, which is at most the new values at the computed points and
      // therefore lies below their chords.
      std::array<double, kStride> share{};  // weight of the chord's right end at point k
      for (std::size_t k = 1; k < kStride; ++k) {
        share[k] = std::expm1(types_.spacing * static_cast<double>(k)) /
                   std::expm1(types_.spacing * static_cast<double>(kStride));
      }
      // A share takes five roundings, two for each expm1 and one for the quotient. It is at most 1/2, so
      // these are at most five of the chord, which decreases. The difference, the product, the sum and the
      // last product take four. The factor covers 16.
      for (std::size_t i = 0; i + kStride < points_; i += kStride) {
        for (std::size_t k = 1; k < kStride; ++k) {
          next[i + k] = ((1 - share[k]) * next[i] + share[k] * next[i + kStride]) * (1 + 8 * kUlp);
        }
      }
    }
    for (std::size_t i = 0; i < points_; ++i) worst[i] = larger(worst[i], next[i]);
  }
  double least = 1;
  for (std::size_t i = 0; i < points_; ++i) {
    least = numerics::as_upper_bound(worst[i], least);
    values_[margin_ + i] = least;
  }
  for (std::size_t i = margin_ + points_; i < values_.size(); ++i) values_[i] = least;
  for (std::size_t i = 1; i <= margin_; ++i) {
    const double at = types_.spacing * static_cast<double>(i);
    const double mirror = i < points_ ? values_[margin_ + i] : least;
    // With V for `mirror`, the rounding of `at` changes 1 - (1 - V) e^-at by at most one rounding of itself.
    // expm1 or the exponential takes two, and the product, the sum and the last product three. The factor
    // covers 16.
    values_[margin_ - i] = smaller(1.0, (-std::expm1(-at) + std::exp(-at) * mirror) * (1 + 8 * kUlp));
  }
  ++rounds_;
}

std::vector<double> AdaptiveRounds::after(std::uint64_t rounds) const {
  const std::lock_guard lock(mutex_);
  if (rounds_ == 0 && kept_.empty()) kept_[0] = values_;
  if (rounds < rounds_) {
    const auto start = std::prev(kept_.upper_bound(rounds));
    rounds_ = start->first;
    values_ = start->second;
  }
  while (rounds_ < rounds) {
    step();
    if (rounds_ % kEvery == 0) kept_.try_emplace(rounds_, values_);
  }
  const auto first = values_.begin() + static_cast<std::ptrdiff_t>(margin_);
  return {first, first + static_cast<std::ptrdiff_t>(points_)};
}

double AdaptiveRounds::between(const std::vector<double>& values, double spacing, double epsilon) {
  if (!(epsilon >= 0)) return 1;
  // The computed quotient epsilon / spacing may be rounded up to the index of a lattice point right of
  // epsilon. V at that point is too small, possibly by many orders of magnitude, so a fused multiply-add
  // checks on which side of epsilon a point lies. The sign of its result is exact.
  const auto is_right = [&](std::size_t i) {
    return std::fma(spacing, static_cast<double>(i), -epsilon) > 0;
  };
  if (!is_right(values.size() - 1)) return values.back();
  const double at = epsilon / spacing;
  auto left = static_cast<std::size_t>(at);
  if (is_right(left)) --left;
  const double share =
      std::expm1(larger(0.0, epsilon - spacing * static_cast<double>(left))) / std::expm1(spacing);
  // The chord decreases, so a smaller weight on its right end makes the value larger. The position of the
  // left end and its distance from epsilon have rounding errors of epsilon and of the spacing, which together
  // are at most (1 + at) roundings of the spacing. `share` changes by at most 1 + spacing times as many,
  // where the spacing is below 1 (AggregatedTypes::at()). The slack in the factor of `share` covers the six
  // roundings of `share` itself. The slack that is subtracted covers the change just described and the
  // rounding of the two subtractions.
  const double right = numerics::within(
      share * (1 - numerics::kEightThousandRoundings) - (numerics::kEightHundredRoundings + 2 * kUlp * at),
      0.0, 1.0);
  // The difference, the product, the sum and the last product take four roundings; the factor covers 16.
  return smaller(values[left], ((1 - right) * values[left] + right * values[left + 1]) * (1 + 8 * kUlp));
}

}  // namespace muster::accounting
