// Statistical tests whose threshold is derived from a stated false-alarm rate and never chosen by eye.
//
// The false-alarm rate alpha bounds the probability that a test fails although its null hypothesis is true.
// For the chi-squared tests, and for mean_test unless observations are normal, alpha is only approximately
// this probability, because the law of the test's statistic is known only approximately. All functions throw
// std::invalid_argument for arguments that they cannot judge, such as an empty sample. An observed mean that
// is a NaN fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::testing {

struct Verdict {
  bool pass;
  double p_value;  // of the observation under the null hypothesis, or an upper bound of it
  // n, the expected and the observed value, the p-value and alpha, to be printed on failure.
  std::string summary;
};

// Two-sided exact binomial test: `successes` of `trials` against probability p.
Verdict binomial_test(std::uint64_t successes, std::uint64_t trials, double p, double alpha);

// Pearson's chi-squared test against the given expected counts. Bins with an observed count of 0 must be
// included. Throws std::invalid_argument if lengths or totals differ, or if an expectation is below 5.
Verdict chi_squared_test(const std::vector<std::uint64_t>& observed, const std::vector<double>& expected,
                         double alpha);

// Kolmogorov-Smirnov test of a sample, not necessarily sorted, that was mapped to [0, 1] by the null CDF.
Verdict uniformity_test(std::vector<double> sample, double alpha);

// Tests whether two samples have the same law: chi-squared test of homogeneity over the `bins` quantile cells
// of the pooled sample, or fewer cells if values repeat. Throws std::invalid_argument if all values are
// equal, or if a cell is expected to hold fewer than 5 values of either sample.
Verdict same_law_test(const std::vector<double>& a, const std::vector<double>& b, std::size_t bins,
                      double alpha);

// Two-sided z-test of the mean of n independent observations, each with the standard deviation sigma, which
// is finite and known; if it is estimated from the same observations, alpha is approximate.
Verdict mean_test(double mean, double expected, double sigma, std::uint64_t n, double alpha);

}  // namespace muster::testing
