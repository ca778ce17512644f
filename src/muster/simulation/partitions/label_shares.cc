#include "muster/simulation/partitions/label_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace muster::simulation {
namespace {

// Draws uniformly from (0, 1]: the midpoint of one of 2^53 equal intervals, rounded to a double.
double uniform(random::BitSource& bits) {
  return (static_cast<double>(bits.next_u64() >> 11) + 0.5) * 0x1p-53;
}

double normal(random::BitSource& bits) {
  const double length = std::sqrt(-2 * std::log(uniform(bits)));
  return length * std::cos(2 * std::numbers::pi * uniform(bits));
}

// Draws the logarithm of a gamma variable whose shape is at least 1.
double log_gamma_variable(double shape, random::BitSource& bits) {
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(bits), base = 1 + c * x;
    const double log_u = std::log(uniform(bits));
    if (base <= 0) continue;
    const double log_v = 3 * std::log(base), v = base * base * base;
    if (log_u < 0.5 * x * x + d - d * v + d * log_v) return std::log(d) + log_v;
  }
}

}  // namespace

std::vector<double> draw_log_shares(double alpha, std::size_t classes, random::BitSource& bits) {
  std::vector<double> shares(classes);
  for (double& share : shares) {
    share = alpha >= 1 ? log_gamma_variable(alpha, bits)
                       : log_gamma_variable(alpha + 1, bits) + std::log(uniform(bits)) / alpha;
  }
  return shares;
}

std::size_t draw_label(std::span<const double> log_shares, const std::vector<bool>& present,
                       random::BitSource& bits) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t label = 0; label < log_shares.size(); ++label) {
    if (present[label]) largest = std::max(largest, log_shares[label]);
  }
  const auto weight = [&](std::size_t label) {
    return present[label] ? std::exp(log_shares[label] - largest) : 0.0;
  };
  double total = 0;
  for (std::size_t label = 0; label < log_shares.size(); ++label) total += weight(label);
  double left = uniform(bits) * total;
  std::size_t chosen = 0;
  for (std::size_t label = 0; label < log_shares.size(); ++label) {
    if (weight(label) == 0) continue;
    chosen = label;  // stays the last present label if rounding leaves a remainder
    left -= weight(label);
    if (left < 0) break;
  }
  return chosen;
}

}  // namespace muster::simulation
