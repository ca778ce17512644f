#include "muster/accounting/profile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "muster/core/error.h"

namespace muster::accounting {
namespace {

// Covers the round-off of the difference below and of the slopes of a table made from it.
constexpr long double kOutward = 1 + 1e-13L;

long double upper_normal(long double x) { return 0.5L * std::erfc(x / std::sqrt(2.0L)); }

// Phi(-l/mu + mu/2) - alpha Phi(-l/mu - mu/2), l = ln alpha >= 0: a difference of two tails whose ratio stays
// away from 1 by about mu / x, so extended precision leaves at least 16 good digits for mu >= 1e-3.
long double gaussian_profile_extended(long double mu, long double alpha) {
  const long double l = std::log(alpha);
  return upper_normal(l / mu - mu / 2) - alpha * upper_normal(l / mu + mu / 2);
}

}  // namespace

double gaussian_profile(double mu, double alpha) {
  if (alpha < 1) {
    return 1 - alpha + alpha * gaussian_profile(mu, 1 / alpha);
  }
  const long double value = std::max(0.0L, gaussian_profile_extended(mu, alpha));
  return static_cast<double>(value * kOutward);
}

Profile Profile::symmetric(const std::vector<double>& alphas,
                           const std::function<long double(long double)>& f) {
  if (alphas.empty() || alphas.front() != 1) {
    throw Error(ErrorCode::internal, "profile", "", "", "the first node must be alpha = 1");
  }
  const std::size_t top = alphas.size() - 1;
  std::vector<long double> values(top + 1);
  for (std::size_t i = 0; i <= top; ++i) {
    values[i] = f(alphas[i]);
  }
  // Slopes of f above 1 and of the excess e(alpha) = f(alpha) - (1 - alpha) = alpha f(1/alpha) below 1, where
  // f(1/alpha) at the node 1/alphas[i] is values[i]: no subtraction from 1, so far tails keep their digits.
  std::vector<long double> slope_above(top + 1, 0);   // on [alphas[i], alphas[i+1]]; 0 beyond the last
  std::vector<long double> excess_slope(top + 1, 0);  // on [1/alphas[i+1], 1/alphas[i]]; 0 beyond the last
  for (std::size_t i = 0; i < top; ++i) {
    const long double a = alphas[i];
    const long double b = alphas[i + 1];
    slope_above[i] = (values[i + 1] - values[i]) / (b - a);
    excess_slope[i] = (values[i] / a - values[i + 1] / b) / (1 / a - 1 / b);
  }
  Profile profile;
  for (std::size_t i = top; i > 0; --i) {
    profile.alphas_.push_back(1 / alphas[i]);
    profile.q_masses_.push_back(static_cast<double>(std::max(0.0L, excess_slope[i - 1] - excess_slope[i])));
  }
  profile.alphas_.push_back(1);
  profile.q_masses_.push_back(static_cast<double>(std::max(0.0L, 1 + slope_above[0] - excess_slope[0])));
  for (std::size_t i = 1; i <= top; ++i) {
    profile.alphas_.push_back(alphas[i]);
    profile.q_masses_.push_back(static_cast<double>(std::max(0.0L, slope_above[i] - slope_above[i - 1])));
  }
  profile.mass_at_infinity_ = static_cast<double>(values[top]);
  profile.excess_at_bottom_ = static_cast<double>(values[top] / alphas[top]);
  return profile;
}

Profile Profile::pure(double epsilon0) {
  // The two kinks are at e^{+-epsilon0}; the chord from alpha = 1 to e^{epsilon0} is the function itself.
  const double top = std::nextafter(std::exp(epsilon0), std::numeric_limits<double>::infinity());
  const long double q = 1 / (1 + static_cast<long double>(top));
  return symmetric({1, top}, [q, top](long double alpha) { return alpha >= top ? 0 : 1 - q - alpha * q; });
}

Profile Profile::k_randomized_response(double epsilon0, double k) {
  const double top = std::nextafter(std::exp(epsilon0), std::numeric_limits<double>::infinity());
  const long double total = static_cast<long double>(top) + k - 1;
  return symmetric({1, top}, [top, total](long double alpha) { return (top - alpha) / total; });
}

Profile Profile::laplace(double epsilon0) {
  // A hundred nodes: the spread of X* grows by less than 1e-4 of itself.
  const double top = std::nextafter(std::exp(epsilon0), std::numeric_limits<double>::infinity());
  const int cells = 100 + static_cast<int>(std::ceil(std::min(40 * epsilon0, 4000.0)));
  std::vector<double> alphas{1};
  for (int i = 1; i < cells; ++i) {
    const double alpha = std::exp(epsilon0 * i / cells);
    if (alpha > alphas.back() && alpha < top) {
      alphas.push_back(alpha);
    }
  }
  alphas.push_back(top);
  const long double at_one = std::log(static_cast<long double>(top));
  return symmetric(alphas, [at_one](long double alpha) {
    return std::max(0.0L, -std::expm1((std::log(alpha) - at_one) / 2)) * kOutward;
  });
}

Profile Profile::gaussian(double mu, double tail) {
  // Spacing mu/100 of ln(alpha) over three deviations of the loss, then in proportion to the distance.
  std::vector<double> alphas{1};
  for (double x = 0; gaussian_profile(mu, alphas.back()) > tail;) {
    x += std::max(1.0, x / 3) / 100;
    alphas.push_back(std::exp(x * mu));
  }
  const long double m = mu;
  return symmetric(alphas, [m](long double alpha) {
    return std::max(0.0L, gaussian_profile_extended(m, alpha)) * kOutward;
  });
}

double Profile::at(double alpha) const {
  if (alpha < alphas_.front()) {
    return 1 - alpha + excess_at_bottom_;
  }
  // f(alpha) = mass_at_infinity + sum over kinks above alpha of kappa_i (alpha_i - alpha).
  long double sum = mass_at_infinity_;
  for (std::size_t i = alphas_.size(); i-- > 0 && alphas_[i] > alpha;) {
    sum += static_cast<long double>(q_masses_[i]) * (static_cast<long double>(alphas_[i]) - alpha);
  }
  return static_cast<double>(sum * (1 + 1e-14L));
}

}  // namespace muster::accounting
