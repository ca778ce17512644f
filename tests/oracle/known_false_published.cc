// Counterexamples to the papers' Renyi statements. The formulas are the papers' own, in long double. The
// truth comes from enumeration or from moments of the exact pair.
#include <cmath>

#include "muster/numerics/ordered.h"
#include "tests/oracle/enumeration.h"
#include "tests/oracle/known_false.h"

namespace muster::accounting::oracle {
namespace {

long double choose(int n, int j) {
  long double value = 1;
  for (int i = 1; i <= j; ++i) value = value * (n - j + i) / i;
  return value;
}

// Returns the bound of Liew, Hasegawa, Takahashi (2022), Theorem 2, with the constants 2 e^eps0 and 8 e^eps0
// of Girgis et al. (2021), or with 2 eps0 and 8 eps0 as printed.
long double liew_theorem2(int n, long double g, long double e0, long double slack, int order, bool printed) {
  const long double grown = std::exp(e0), c = (grown * grown - 1) / grown, scale = printed ? e0 : grown;
  const long double mean = n * g, few = std::exp(-slack * slack * mean / 2);
  const long double last = std::floor((1 - slack) * mean), crowd = std::floor(last / (2 * scale)) + 1;
  long double sum = 1 + 4 * choose(order, 2) * g * g * (grown - 1) * (grown - 1) / grown * (few + 1 / crowd);
  for (int j = 3; j <= order; ++j) {
    sum += choose(order, j) * std::pow(g, j) * j * std::tgamma(j / 2.0L) * std::pow(2 * c * c, j / 2.0L) *
           (few + std::pow(crowd, -j / 2.0L));
  }
  const long double excess = std::pow(1 + g * c, static_cast<long double>(order)) - 1 - order * g * c;
  sum += excess * (few + std::exp(-last / (8 * scale)));
  return std::log(sum) / (order - 1);
}

// Returns the bound of Liew et al. (2022), Lemma 3, equation (4), with the logarithm and the factor 1/(order
// - 1) that it omits, minimized over a grid of r.
long double liew_lemma3(long double epsilon, long double delta, int order) {
  long double least = 1e4000L;
  for (long double log_y = std::log(delta) - 30; log_y < 0; log_y += 1e-3L) {
    const long double y = std::exp(log_y), r = delta + y;
    if (r >= 1) break;
    least = numerics::smaller(least, std::pow(r, order) * std::pow(y, 1 - order) +
                                         std::pow(1 - r, order) * std::pow(std::exp(epsilon) - y, 1 - order));
  }
  return epsilon + std::log(least) / (order - 1);
}

// Returns the Renyi divergence of order l for two clients with Gaussian messages and
// rate g, where the other client holds the victim's new record. It follows from
// E_Q[(P/Q)^l] = 2^-l sum_j C(l,j) mu_j mu_(l-j), mu_j = 1 - g + g e^(j(j-1)/(2 s^2)).
long double two_gaussian_clients(long double g, long double s, int order) {
  const auto mu = [&](int j) { return 1 - g + g * std::exp(j * (j - 1) / (2 * s * s)); };
  long double sum = 0;
  for (int j = 0; j <= order; ++j) sum += choose(order, j) * mu(j) * mu(order - j);
  return (std::log(sum) - order * std::log(2.0L)) / (order - 1);
}

// Returns the sum under the logarithm of Liew, Takahashi
// (2022), equation (16), for m = 1 or 2 shuffled messages.
long double equation16(int m, long double g, long double s, int order) {
  const auto log_moment = [&](int j) {  // (j - 1) D_j of Theorem 1
    if (m == 1) return j * (j - 1) / (2 * s * s);
    return (j - 1) * two_gaussian_clients(1, s, j);
  };
  const long double second = std::exp(log_moment(2));
  long double sum = 1 + g * g * choose(order, 2) * numerics::smaller(4 * (second - 1), 2 * second);
  for (int j = 3; j <= order; ++j) {
    sum += 2 * std::pow(g, j) * choose(order, j) * std::exp(log_moment(j));
  }
  return sum;
}

}  // namespace

std::vector<Counterexample> published_counterexamples() {
  std::vector<Counterexample> all;
  const long double p = 1 / (1 + std::exp(-1.0L));
  const OutputPair two = check_in({Law{p, 1 - p}}, Law{p, 1 - p}, Law{1 - p, p}, 0.05L);
  const long double truth = numerics::larger(renyi(two, 20), renyi(two.swapped(), 20));
  all.push_back({"Liew et al. 2022, Theorem 2, constants corrected, bounds check-in", truth,
                 liew_theorem2(2, 0.05L, 1, 0.5L, 20, false)});
  all.push_back({"Liew et al. 2022, Theorem 2, as printed, bounds check-in", truth,
                 liew_theorem2(2, 0.05L, 1, 0.5L, 20, true)});
  const long double a = 1e-5L, b = 1e-100L;
  all.push_back({"Liew et al. 2022, Lemma 3: (0, 1e-5)-DP gives a Renyi divergence of order 2",
                 std::log(a * a / b + (1 - a) * (1 - a) / (1 - b)), liew_lemma3(0, a, 2)});
  // With f(k) = 1 the left side of Lemma 4 is the number of non-empty subsets of two clients.
  const long double mean = 2 * 0.5L;
  all.push_back({"Liew et al., later version, Lemma 4 without binomial weights", choose(2, 1) + choose(2, 2),
                 std::exp(-0.25L * mean / 2) + 1});
  const auto weight = [](int k) { return choose(2, k) * std::pow(0.05L, k) * std::pow(0.95L, 2 - k); };
  all.push_back({"Liew, Takahashi 2022, equation 17, bounds Gaussian check-in",
                 two_gaussian_clients(0.05L, 1, 2),
                 std::log(weight(1) * equation16(1, 0.05L, 1, 2) + weight(2) * equation16(2, 0.05L, 1, 2))});
  all.push_back({"Liew, Takahashi 2022, Theorem 3, bounds Gaussian check-in",
                 two_gaussian_clients(0.05L, 1, 6),
                 std::log(equation16(1, 0.05L, 1, 6) * (std::exp(-0.25L * 0.1L / 2) + 1)) / 5});
  return all;
}

}  // namespace muster::accounting::oracle
