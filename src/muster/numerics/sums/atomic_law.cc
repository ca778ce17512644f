#include "muster/numerics/sums/atomic_law.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/atom_kernels.h"
#include "muster/numerics/work.h"

namespace muster::numerics {

void AtomicLaw::add(double point, double weight) {
  if (!(weight <= 0) && point != 0) {  // a NaN is kept, so that every sum over the atoms is NaN
    points.push_back(point);
    weights.push_back(weight);
  }
}

double AtomicLaw::nonzero_mass() const {
  double mass = 0;
  for (double w : weights) {
    mass += w;
  }
  return mass;
}

Enclosure AtomicLaw::mass_at_zero() const {
  // Adding m weights one after another takes m - 1 roundings (slack.h), and the difference from 1 takes one.
  const double mass = nonzero_mass();
  const double error = kUnitRoundoff * (mass * (static_cast<double>(weights.size()) + 12) + 2);
  return {larger(0.0, 1 - mass - error), larger(0.0, 1 - mass + error)};
}

double AtomicLaw::mean() const {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    sum += weights[i] * points[i];
  }
  return sum;
}

double AtomicLaw::absolute_mean() const {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    sum += weights[i] * std::abs(points[i]);
  }
  return sum;
}

double AtomicLaw::variance() const {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    sum += weights[i] * points[i] * points[i];
  }
  const double m = mean();
  // For a law of nearly one point, rounding may make sum - m * m negative.
  return numerics::larger(0.0, sum - m * m);
}

namespace {

// The largest or the smallest of all points and 0, as `better` chooses between two. Eight running results are
// kept, because with a single one, every comparison would have to wait for the comparison before.
template <typename Better>
double extreme(const std::vector<double>& points, Better&& better) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> lane{};
  std::size_t i = 0;
  for (; i + kLanes <= points.size(); i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      lane[l] = better(points[i + l], lane[l]);
    }
  }
  double found = 0;
  for (; i < points.size(); ++i) {
    found = better(points[i], found);
  }
  for (double y : lane) {
    found = better(y, found);
  }
  return found;
}

}  // namespace

double AtomicLaw::smallest_point() const {
  return extreme(points, [](double a, double b) { return smaller(a, b); });
}

double AtomicLaw::largest_point() const {
  return extreme(points, [](double a, double b) { return larger(a, b); });
}

bool AtomicLaw::finite() const {
  return std::isfinite(largest_point()) && std::isfinite(smallest_point()) && std::isfinite(nonzero_mass());
}

namespace {

constexpr double kVanishes = -746;  // e^x is rounded to 0 for x below this

double reach_of(const std::vector<double>& points) {
  double reach = 0;
  for (double y : points) {
    reach = larger(reach, std::abs(y));
  }
  return reach;
}

// Computes tilt_of() where e^{cY} may exceed the range of a double. Every exponent is taken relative to the
// largest one, `top`.
Tilt far_tilt(const AtomicLaw& law, double c, double top) {
  // The sums are in extended precision, because plain sums of doubles would take one rounding per atom.
  long double mass = 0;
  for (double w : law.weights) {
    mass += w;
  }
  const long double at_zero = larger(0.0L, 1 - mass) * std::exp(-top);
  std::size_t counting = 0;
  long double nonzero = 0, first = 0, absolute = 0, second = 0;
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    const double y = law.points[i];
    if (c * y - top < kVanishes) continue;  // the term is 0; adding it would be slow on some processors
    const double w = law.weights[i] * std::exp(c * y - top);
    ++counting;
    nonzero += w;
    first += w * y;
    absolute += w * std::abs(y);
    second += w * y * y;
  }
  count_work(counting, kWorkOfLoneExponential, static_cast<double>(law.points.size()));
  const double total = static_cast<double>(nonzero + at_zero);
  const double mean = static_cast<double>(first) / total;
  return {top + std::log(total),
          mean,
          larger(0.0, static_cast<double>(second) / total - mean * mean),
          static_cast<double>(absolute) / total,
          static_cast<double>(nonzero) / total,
          top};
}

}  // namespace

Tilt tilt_of(const AtomicLaw& law, double c) {
  // A very negative exponent is harmless, because e^{cy} merely vanishes. Only a large positive one needs
  // far_tilt(), which is less precise where log E e^{cY} is close to zero.
  constexpr double kFar = 300;
  // Most laws are sorted, so their ends show that an exponent is large before any is computed.
  if (law.points.empty() || larger(c * law.points.front(), c * law.points.back()) < kFar) {
    const TiltSums sums = tilt_sums(law.points.data(), law.weights.data(), law.points.size(), c);
    if (sums.largest_exponent < kFar) {
      const double total = 1 + sums.growth;
      const double mean = sums.first / total;
      return {std::log1p(sums.growth),
              mean,
              larger(0.0, sums.second / total - mean * mean),
              sums.absolute / total,
              sums.nonzero / total,
              0};
    }
  }
  return far_tilt(law, c, c * (c > 0 ? law.largest_point() : law.smallest_point()));
}

double AtomicLaw::log_mgf(double c) const { return tilt_of(*this, c).log_mgf; }

TiltedLaw::TiltedLaw(const AtomicLaw& law, double c)
    : points_(law.points), c_(c), reach_(reach_of(law.points)) {
  const Tilt tilt = tilt_of(law, c);
  log_mgf_ = tilt.log_mgf;
  mean_ = tilt.mean;
  variance_ = tilt.variance;
  absolute_mean_ = tilt.absolute_mean;
  nonzero_mass_ = tilt.nonzero_mass;
  far_exponent_ = tilt.far_exponent;
  weights_.resize(points_.size());
  tilt_weights(points_.data(), law.weights.data(), points_.size(), c, log_mgf_, weights_.data());
}

std::complex<double> TiltedLaw::characteristic_minus_one(double t) const {
  return characteristic_sum(points_.data(), weights_.data(), points_.size(), t, reach_);
}

EquispacedCharacteristic::EquispacedCharacteristic(const TiltedLaw& law, double step)
    : step_(step), reach_(law.reach_) {
  // Atoms of weight zero fill the last group of eight.
  const std::size_t padded = (law.atoms() + kLanes - 1) / kLanes * kLanes;
  points_.assign(padded, 0);
  weights_.assign(padded, 0);
  std::copy(law.points_.begin(), law.points_.end(), points_.begin());
  std::copy(law.weights_.begin(), law.weights_.end(), weights_.begin());
  cos_.assign(padded, 1);
  sin_.assign(padded, 0);
  step_cos_.resize(padded);
  step_sin_.resize(padded);
  angles(points_.data(), padded, step, reach_, step_cos_.data(), step_sin_.data());
}

void EquispacedCharacteristic::seek(double index) {
  index_ = index;
  turns_ = 0;
  ready_ = 0;
  angles(points_.data(), points_.size(), index * step_, reach_, cos_.data(), sin_.data());
}

std::complex<double> EquispacedCharacteristic::current() const {
  return angle_sum(weights_.data(), cos_.data(), sin_.data(), cos_.size());
}

std::complex<double> EquispacedCharacteristic::advance() {
  index_ += 1;
  if (ready_ > 0) {
    return ahead_[ahead_.size() - static_cast<std::size_t>(ready_--)];
  }
  if (turns_ == kResync) {
    seek(index_);
    return current();
  }
  ahead_ = turn_and_sum(weights_.data(), cos_.data(), sin_.data(), step_cos_.data(), step_sin_.data(),
                        cos_.size());
  turns_ += static_cast<int>(ahead_.size());
  ready_ = static_cast<int>(ahead_.size()) - 1;
  return ahead_.front();
}

}  // namespace muster::numerics
