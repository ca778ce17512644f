#include "muster/numerics/atomic_law.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace muster::numerics {

void AtomicLaw::add(double point, double weight) {
  if (weight > 0 && point != 0) {
    points.push_back(point);
    weights.push_back(weight);
  }
}

double AtomicLaw::mean() const {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    sum += weights[i] * points[i];
  }
  return sum;
}

double AtomicLaw::variance() const {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    sum += weights[i] * points[i] * points[i];
  }
  const double m = mean();
  return sum - m * m;
}

double AtomicLaw::largest_point() const {
  double largest = 0;
  for (double y : points) {
    largest = std::max(largest, y);
  }
  return largest;
}

double AtomicLaw::log_mgf(double c) const {
  // Two forms of log E e^{cY}: log1p(E(e^{cY} - 1)) near zero, and factored by the largest exponent where
  // e^{cY} could overflow.
  const double top = c > 0 ? c * largest_point() : 0;
  if (top < 300) {
    double sum = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      sum += weights[i] * std::expm1(c * points[i]);
    }
    return std::log1p(sum);
  }
  double nonzero = 0;
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    nonzero += weights[i];
    sum += weights[i] * std::exp(c * points[i] - top);
  }
  sum += std::max(0.0, 1 - nonzero) * std::exp(-top);
  return top + std::log(sum);
}

TiltedLaw::TiltedLaw(const AtomicLaw& law, double c) : log_mgf_(law.log_mgf(c)) {
  points_ = law.points;
  weights_.resize(points_.size());
  double second = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const double y = points_[i];
    const double w = law.weights[i] * std::exp(c * y - log_mgf_);
    weights_[i] = w;
    nonzero_mass_ += w;
    mean_ += w * y;
    absolute_mean_ += w * std::abs(y);
    second += w * y * y;
  }
  variance_ = std::max(0.0, second - mean_ * mean_);
}

std::complex<double> TiltedLaw::characteristic_minus_one(double t) const {
  double real = 0;
  double imaginary = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const double half = 0.5 * t * points_[i];
    const double s = std::sin(half);
    real -= 2 * weights_[i] * s * s;
    imaginary += 2 * weights_[i] * s * std::cos(half);
  }
  return {real, imaginary};
}

EquispacedCharacteristic::EquispacedCharacteristic(const TiltedLaw& law, double step) : step_(step) {
  const std::size_t padded =
      (law.atoms() + kLanes - 1) / kLanes * kLanes;  // zero weights fill the last group
  points_.assign(padded, 0);
  weights_.assign(padded, 0);
  std::copy(law.points_.begin(), law.points_.end(), points_.begin());
  std::copy(law.weights_.begin(), law.weights_.end(), weights_.begin());
  cos_.resize(padded);
  sin_.resize(padded);
  step_cos_.resize(padded);
  step_sin_.resize(padded);
  for (std::size_t i = 0; i < padded; ++i) {
    step_cos_[i] = std::cos(step * points_[i]);
    step_sin_[i] = std::sin(step * points_[i]);
  }
  seek(0);
}

void EquispacedCharacteristic::seek(double index) {
  index_ = index;
  since_sync_ = 0;
  for (std::size_t i = 0; i < cos_.size(); ++i) {
    cos_[i] = std::cos(index * step_ * points_[i]);
    sin_[i] = std::sin(index * step_ * points_[i]);
  }
}

std::complex<double> EquispacedCharacteristic::current() const {
  // Independent partial sums: one chain of additions would cost more than the rotations.
  std::array<double, kLanes> real{};
  std::array<double, kLanes> imaginary{};
  for (std::size_t i = 0; i < cos_.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      real[lane] += weights_[i + lane] * (cos_[i + lane] - 1);
      imaginary[lane] += weights_[i + lane] * sin_[i + lane];
    }
  }
  return {std::accumulate(real.begin(), real.end(), 0.0),
          std::accumulate(imaginary.begin(), imaginary.end(), 0.0)};
}

void EquispacedCharacteristic::advance() {
  if (++since_sync_ == kResync) {
    seek(index_ + 1);
    return;
  }
  index_ += 1;
  for (std::size_t i = 0; i < cos_.size(); ++i) {
    const double c = cos_[i] * step_cos_[i] - sin_[i] * step_sin_[i];
    sin_[i] = sin_[i] * step_cos_[i] + cos_[i] * step_sin_[i];
    cos_[i] = c;
  }
}

}  // namespace muster::numerics
