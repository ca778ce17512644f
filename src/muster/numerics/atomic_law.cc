#include "muster/numerics/atomic_law.h"

#include <algorithm>
#include <cmath>

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

EquispacedCharacteristic::EquispacedCharacteristic(const TiltedLaw& law, double step)
    : law_(law),
      step_(step),
      cos_(law.atoms()),
      sin_(law.atoms()),
      step_cos_(law.atoms()),
      step_sin_(law.atoms()) {
  for (std::size_t i = 0; i < law.atoms(); ++i) {
    step_cos_[i] = std::cos(step * law.points_[i]);
    step_sin_[i] = std::sin(step * law.points_[i]);
  }
  seek(0);
}

void EquispacedCharacteristic::seek(double index) {
  index_ = index;
  since_sync_ = 0;
  for (std::size_t i = 0; i < cos_.size(); ++i) {
    cos_[i] = std::cos(index * step_ * law_.points_[i]);
    sin_[i] = std::sin(index * step_ * law_.points_[i]);
  }
}

std::complex<double> EquispacedCharacteristic::current() const {
  double real = 0;
  double imaginary = 0;
  for (std::size_t i = 0; i < cos_.size(); ++i) {
    real += law_.weights_[i] * (cos_[i] - 1);
    imaginary += law_.weights_[i] * sin_[i];
  }
  return {real, imaginary};
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
