#include "muster/reproduce/random_check_ins/convex_task.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace muster::reproduce {
namespace {

constexpr double kPlus = 0.75;  // the probability that a sign of a record is +1
constexpr double kMean = 2 * kPlus - 1;
constexpr unsigned kSignsOfAWord = 32;  // two random bits each

}  // namespace

ConvexTask::ConvexTask(Loss loss, std::size_t dimension, double reach)
    : loss_(loss),
      dimension_(dimension),
      scale_(reach / std::sqrt(static_cast<double>(dimension)) / (loss == Loss::absolute ? 1 : kMean)),
      // The largest distance from a point of the ball to b d is 1 + |b d|.
      beta_(kLipschitz / (kDiameter / 2 + reach / kMean)) {
  std::vector<double> best(dimension, loss == Loss::absolute ? scale_ : scale_ * kMean);
  project_on_ball(best);
  least_risk_ = risk(best);
}

void ConvexTask::draw(random::BitSource& bits, std::span<float> record) {
  std::uint64_t word = 0;
  for (std::size_t j = 0; j < record.size(); ++j, word >>= 2) {
    if (j % kSignsOfAWord == 0) word = bits.next_u64();
    record[j] = (word & 3) == 0 ? -1.0F : 1.0F;
  }
}

void ConvexTask::gradient(std::span<const double> at, std::span<const float> record,
                          std::span<float> out) const {
  const double each = kLipschitz / std::sqrt(static_cast<double>(dimension_));
  for (std::size_t j = 0; j < dimension_; ++j) {
    const double difference = at[j] - scale_ * static_cast<double>(record[j]);
    const double slope = loss_ == Loss::quadratic ? beta_ * difference : std::copysign(each, difference);
    out[j] = static_cast<float>(slope);
  }
}

double ConvexTask::risk(std::span<const double> at) const {
  double sum = 0;
  for (const double t : at) {
    const double plus = t - scale_, minus = t + scale_;
    sum += loss_ == Loss::quadratic ? beta_ / 2 * (kPlus * plus * plus + (1 - kPlus) * minus * minus)
                                    : kLipschitz / std::sqrt(static_cast<double>(dimension_)) *
                                          (kPlus * std::fabs(plus) + (1 - kPlus) * std::fabs(minus));
  }
  return sum;
}

double ConvexTask::excess_risk(std::span<const double> at) const { return risk(at) - least_risk_; }

void project_on_ball(std::span<double> point) {
  double squares = 0;
  for (const double t : point) squares += t * t;
  const double shrink = std::min(1.0, kDiameter / 2 / std::sqrt(squares));
  for (double& t : point) t *= shrink;
}

}  // namespace muster::reproduce
