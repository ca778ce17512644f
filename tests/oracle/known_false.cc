#include "tests/oracle/known_false.h"

#include <algorithm>
#include <cmath>

#include "muster/numerics/ordered.h"
#include "tests/oracle/enumeration.h"

namespace muster::accounting::oracle {
namespace {

OutputPair binary(int n, int with_alternative, long double epsilon0, long double rate) {
  const long double q = 1 / (std::exp(epsilon0) + 1), p = 1 - q;
  std::vector<Law> others;
  for (int j = 0; j < n - 1; ++j) others.push_back(j < with_alternative ? Law{q, p} : Law{p, q});
  return check_in(others, Law{p, q}, Law{q, p}, rate);
}

long double density(long double x, long double mean, long double deviation) {
  const long double z = (x - mean) / deviation;
  return std::exp(-z * z / 2) / (deviation * std::sqrt(2 * 3.14159265358979323846L));
}

// Returns log E_Q[(P/Q)^2] of two shuffled N(x, 1) messages, with the victim at 1
// (P) or 0 (Q) and the other client at -1. The symmetrised densities are integrated
// by the trapezoidal rule, whose error at this spacing is far below 1e-9.
long double shuffled_gaussian_pair() {
  const long double h = 0.05L;
  long double sum = 0;
  for (long double x = -12; x < 14; x += h) {
    for (long double y = -12; y < 14; y += h) {
      const auto shuffled = [&](long double victim) {
        return (density(x, victim, 1) * density(y, -1, 1) + density(y, victim, 1) * density(x, -1, 1)) / 2;
      };
      sum += shuffled(1) * shuffled(1) / shuffled(0);
    }
  }
  return std::log(sum * h * h);
}

}  // namespace

Law k_rr(int k, long double epsilon0, int x) {
  Law law(static_cast<std::size_t>(k), 1 / (std::exp(epsilon0) + static_cast<long double>(k - 1)));
  law[static_cast<std::size_t>(x)] *= std::exp(epsilon0);
  return law;
}

OutputPair clone_pair(int n, long double epsilon0, long double rate) {
  const long double q = 1 / (std::exp(epsilon0) + 1), p = 1 - q;
  const auto m = static_cast<std::size_t>(n - 1);
  std::vector<long double> rates(m + 1, 2 * q * rate);
  rates[0] = rate;
  return check_in(std::vector<Law>(m, Law{0.5L, 0.5L}), Law{p, q}, Law{q, p}, rates);
}

OutputPair variation_ratio_pair(int n, int k, long double epsilon0) {
  const long double b = 1 / (std::exp(epsilon0) + static_cast<long double>(k - 1)),
                    own = b * std::exp(epsilon0);
  const auto m = static_cast<std::size_t>(n - 1);
  std::vector<long double> rates(m + 1, 2 * b);
  rates[0] = own + b;
  const long double share = own / (own + b);
  return check_in(std::vector<Law>(m, Law{0.5L, 0.5L}), Law{share, 1 - share}, Law{1 - share, share}, rates);
}

long double sensitivity_one(long double epsilon) {
  // The mean of ((r_1 + r_2)/2 - e^epsilon)_+ for independent lognormal r_1, r_2 of mean 1, whose logarithms
  // have standard deviation 1. Given r_1, the mean is half the expected excess of r_2 over 2 e^epsilon - r_1.
  const long double threshold = 2 * std::exp(epsilon), h = 0.01L;
  const auto normal = [](long double x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; };
  long double sum = 0;
  for (long double y = -12; y < 14; y += h) {
    const long double k = threshold - std::exp(y - 0.5L);
    const long double excess = k <= 0 ? 1 - k : normal(-std::log(k) + 0.5L) - k * normal(-std::log(k) - 0.5L);
    sum += density(y, 0, 1) * excess / 2 * h;
  }
  return sum;
}

long double averaged_moment(int k, long double s, long double order) {
  const long double p_sd = s / std::sqrt(static_cast<long double>(k));
  const long double q_sd = s / std::sqrt(static_cast<long double>(k + 1)), h = p_sd / 200;
  long double sum = 0;
  for (long double x = -60 * p_sd; x < 60 * p_sd; x += h) {
    const long double p = density(x, 0, p_sd), q = density(x, 1 / static_cast<long double>(k + 1), q_sd);
    if (q > 0) sum += q * std::pow(p / q, order) * h;
  }
  return sum;
}

long double printed_averaged_moment(int k, long double s, long double order) {
  const auto kk = static_cast<long double>(k);
  return std::sqrt(std::pow(kk + 1, order) / ((kk + order) * std::pow(kk, order - 1))) *
         std::exp(-(order + 1) / (s * s * (kk + 1)));
}

long double averaged_moment_formula(int k, long double s, long double order) {
  const auto kk = static_cast<long double>(k);
  return std::pow(kk / (kk + 1), order / 2) * std::sqrt((kk + 1) / (kk + 1 - order)) *
         std::exp(order * (order - 1) * kk / (2 * s * s * (kk + 1) * (kk + 1 - order)));
}

std::vector<Counterexample> counterexamples() {
  std::vector<Counterexample> all;
  for (const long double epsilon : {0.7L, 0.95L}) {
    all.push_back({"the two-cell clone pair with a hidden abstention bounds shuffled check-in",
                   hockey_stick(binary(12, 0, 1, 0.5L), epsilon),
                   hockey_stick(clone_pair(12, 1, 0.5L), epsilon)});
  }
  const std::vector<Law> third(11, k_rr(4, 2, 2));
  all.push_back({"the variation-ratio pair bounds shuffled k-RR",
                 hockey_stick(check_in(third, k_rr(4, 2, 0), k_rr(4, 2, 1), 1.0L), 1),
                 hockey_stick(variation_ratio_pair(12, 4, 2), 1)});
  long double homogeneous = 0;
  for (const int i : {0, 2}) {
    homogeneous = numerics::larger(homogeneous, hockey_stick(binary(3, i, 1, 1), 0),
                                   hockey_stick(binary(3, i, 1, 1).swapped(), 0));
  }
  all.push_back({"a homogeneous dataset is the worst one at every epsilon",
                 hockey_stick(binary(3, 1, 1, 1), 0), homogeneous});
  all.push_back({"the shuffle Gaussian at sensitivity 1 covers every neighbour in [-1, 1]",
                 shuffled_gaussian_pair(), std::log1p(std::expm1(1.0L) / 2)});
  all.push_back({"the printed moment of aggregated check-in under removal", averaged_moment(9, 1, 3),
                 printed_averaged_moment(9, 1, 3)});
  const auto rates = [](long double victim, long double others) {
    const Law x = k_rr(2, 2, 0), y = k_rr(2, 2, 1);
    long double worst = 0;
    for (int i = 0; i <= 4; ++i) {
      std::vector<Law> dataset(4, x);
      std::fill(dataset.begin(), dataset.begin() + i, y);
      const OutputPair pair = check_in(dataset, x, y, {victim, others, others, others, others});
      worst = numerics::larger(worst, hockey_stick(pair, 1.8L), hockey_stick(pair.swapped(), 1.8L));
    }
    return worst;
  };
  all.push_back({"the worst rates in [lo, hi] are the victim's at hi, the others' at lo",
                 rates(0.631L, 0.631L), rates(0.631L, 0.375L)});
  long double truth = 0, claimed = 0;
  for (const int record : {0, 1}) {
    const std::vector<Law> other = {k_rr(2, 1, record)};
    const Law x = k_rr(2, 1, 0), y = k_rr(2, 1, 1);
    truth = numerics::larger(truth, hockey_stick(check_in(other, x, y, 0.5L), 0.3L));
    // Bin(2, 1/2): one report has probability 1/2, two have 1/4.
    claimed = numerics::larger(claimed, hockey_stick(included(other, x, y, 1, 0.5L), 0.3L) / 2 +
                                            hockey_stick(included(other, x, y, 2, 0.5L), 0.3L) / 4);
  }
  all.push_back({"given k reports the victim is among them with probability g", truth, claimed});
  return all;
}

}  // namespace muster::accounting::oracle
