#include "tests/support/statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <stdexcept>

namespace muster::testing {
namespace {

// Returns the verdict. A p-value that is NaN fails, because it shows nothing.
Verdict verdict(double p_value, double alpha, const std::string& what) {
  std::ostringstream text;
  text.precision(9);
  text << what << ", p-value " << p_value << ", alpha " << alpha;
  return {p_value >= alpha, p_value, text.str()};
}

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

}  // namespace

Verdict binomial_test(std::uint64_t successes, std::uint64_t trials, double p, double alpha) {
  require(trials > 0 && successes <= trials, "binomial_test: need 0 < trials, successes <= trials");
  require(p >= 0 && p <= 1, "binomial_test: p is not a probability");
  const auto n = static_cast<double>(trials);
  const auto k = static_cast<double>(successes);
  double at_most = 1, at_least = 1;
  if (p == 0) {
    at_least = successes == 0 ? 1 : 0;
  } else if (p == 1) {
    at_most = successes == trials ? 1 : 0;
  } else {
    const boost::math::binomial_distribution<double> law(n, p);
    at_most = cdf(law, k);
    at_least = successes == 0 ? 1 : cdf(complement(law, k - 1));
  }
  std::ostringstream text;
  text.precision(12);
  text << "binomial: n " << trials << ", expected " << n * p << ", observed " << successes;
  return verdict(std::min(1.0, 2 * std::min(at_most, at_least)), alpha, text.str());
}

Verdict chi_squared_test(const std::vector<std::uint64_t>& observed, const std::vector<double>& expected,
                         double alpha) {
  require(observed.size() == expected.size(), "chi_squared_test: lengths differ");
  require(observed.size() >= 2, "chi_squared_test: need two bins");
  double statistic = 0, observed_total = 0, expected_total = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    require(expected[i] >= 5, "chi_squared_test: an expectation below 5");
    const auto count = static_cast<double>(observed[i]);
    statistic += (count - expected[i]) * (count - expected[i]) / expected[i];
    observed_total += count;
    expected_total += expected[i];
  }
  require(std::abs(observed_total - expected_total) <= 1e-6 * expected_total,
          "chi_squared_test: totals differ (a bin is missing)");
  const auto freedom = static_cast<double>(observed.size() - 1);
  const boost::math::chi_squared_distribution<double> law(freedom);
  std::ostringstream text;
  text.precision(9);
  text << "chi-squared: n " << observed_total << ", expected statistic " << freedom << ", observed "
       << statistic;
  return verdict(cdf(complement(law, statistic)), alpha, text.str());
}

Verdict uniformity_test(std::vector<double> sample, double alpha) {
  require(!sample.empty(), "uniformity_test: empty sample");
  for (double value : sample) require(value >= 0 && value <= 1, "uniformity_test: a value outside [0,1]");
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, sample[i] - rank / n, (rank + 1) / n - sample[i]});
  }
  // Dvoretzky-Kiefer-Wolfowitz with Massart's constant: P(D >= d) <= 2 exp(-2 n d^2) for every n.
  std::ostringstream text;
  text.precision(9);
  text << "Kolmogorov-Smirnov: n " << sample.size() << ", expected distance about " << 0.87 / std::sqrt(n)
       << ", observed " << distance;
  return verdict(std::min(1.0, 2 * std::exp(-2 * n * distance * distance)), alpha, text.str());
}

Verdict same_law_test(const std::vector<double>& a, const std::vector<double>& b, std::size_t bins,
                      double alpha) {
  require(!a.empty() && !b.empty() && bins >= 2, "same_law_test: need two samples and two bins");
  std::vector<double> pooled(a);
  pooled.insert(pooled.end(), b.begin(), b.end());
  std::sort(pooled.begin(), pooled.end());
  std::vector<double> edges;  // a cell holds the values above one edge, up to and including the next
  for (std::size_t bin = 1; bin < bins; ++bin) {
    const double edge = pooled[std::max<std::size_t>(1, pooled.size() * bin / bins) - 1];
    if (edge < pooled.back() && (edges.empty() || edge > edges.back())) edges.push_back(edge);
  }
  require(!edges.empty(), "same_law_test: all values are the same");
  std::vector<double> in_a(edges.size() + 1), in_b(edges.size() + 1);
  const auto count = [&edges](const std::vector<double>& sample, std::vector<double>& cells) {
    for (double value : sample) {
      cells[static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), value) - edges.begin())] +=
          1;
    }
  };
  count(a, in_a);
  count(b, in_b);
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  double statistic = 0;
  for (std::size_t i = 0; i < in_a.size(); ++i) {
    const double share = (in_a[i] + in_b[i]) / (n + m);
    require(share * std::min(n, m) >= 5, "same_law_test: an expectation below 5");
    statistic += (in_a[i] - n * share) * (in_a[i] - n * share) / (n * share) +
                 (in_b[i] - m * share) * (in_b[i] - m * share) / (m * share);
  }
  const auto freedom = static_cast<double>(edges.size());
  const boost::math::chi_squared_distribution<double> law(freedom);
  std::ostringstream text;
  text.precision(9);
  text << "two samples: n " << n << " and " << m << ", expected statistic " << freedom << ", observed "
       << statistic;
  return verdict(cdf(complement(law, statistic)), alpha, text.str());
}

Verdict mean_test(double mean, double expected, double sigma, std::uint64_t n, double alpha) {
  require(n > 0 && sigma > 0 && std::isfinite(sigma), "mean_test: need n > 0 and a finite sigma > 0");
  const double z = (mean - expected) * std::sqrt(static_cast<double>(n)) / sigma;
  std::ostringstream text;
  text.precision(9);
  text << "mean: n " << n << ", expected " << expected << ", observed " << mean << ", z " << z;
  return verdict(std::erfc(std::abs(z) / std::sqrt(2.0)), alpha, text.str());
}

}  // namespace muster::testing
