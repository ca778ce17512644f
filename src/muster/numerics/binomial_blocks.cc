#include "muster/numerics/binomial_blocks.h"

#include <cmath>
#include <limits>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::numerics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Chernoff's exponent k log(k / (n p)) + (n-k) log((n-k) / (n (1-p))). For K ~ Bin(n, p), exp(-exponent) is
// an upper bound of P(K >= k) if k is above the mean, and of P(K <= k) if k is below it.
double chernoff_exponent(double k, double n, double p) {
  const double up = k > 0 ? k * std::log(k / (n * p)) : 0;
  const double down = k < n ? (n - k) * std::log((n - k) / (n * (1 - p))) : 0;
  // The result is rounded down, so that the bound stays valid. The two terms have opposite signs and may
  // cancel, so the slack is in roundings (slack.h) of n and of both terms. The arguments of the logarithms
  // take two and three roundings, which change the sum by at most three roundings of n. A term takes two for
  // its logarithm and one for its product, and the two additions here take two more of each. The three
  // roundings of n that are left cover the exponential of the result.
  return up + down - 8 * kUnitRoundoff * (n + std::fabs(up) + std::fabs(down));
}

// The integer farthest from the mean whose Chernoff exponent is below `exponent`, searched above the mean if
// `upper` is true and below it otherwise.
double edge(double n, double p, double exponent, bool upper) {
  double inside = std::floor(n * p), outside = upper ? n + 1 : -1;
  while (std::fabs(outside - inside) > 1) {
    const double middle = std::floor((inside + outside) / 2);
    (chernoff_exponent(middle, n, p) < exponent ? inside : outside) = middle;
  }
  return inside;
}

// Appends the blocks from the value after the mode to `end`. The direction `step` is +1 or -1. Weights are in
// units of the mode's probability.
void walk(double mode, double end, double step, double n, double p, double fineness,
          std::vector<BinomialBlock>& blocks) {
  const double sd = std::sqrt(n * p * (1 - p)), odds = p / (1 - p);
  double k = mode, mass = 1;
  const auto advance = [&] {
    mass *= step > 0 ? (n - k) / (k + 1) * odds : k / (n - k + 1) / odds;
    k += step;
  };
  while (k != end) {
    advance();
    BinomialBlock block{k, k, mass};
    const double width = std::floor(fineness * sd * (1 + std::fabs(k - n * p) / larger(sd, 1.0)));
    for (double taken = 1; taken < width && k != end; ++taken) {
      advance();
      block.weight += mass;
      (step > 0 ? block.last : block.first) = k;
    }
    blocks.push_back(block);
  }
}

}  // namespace

double binomial_low_end(double n, double p, double exponent) {
  return p >= 1 ? n : edge(n, p, exponent, false);
}

double binomial_window(double n, double p, double exponent) {
  if (!(n >= 0 && n <= 0x1p53 && p >= 0)) return kNaN;
  return p >= 1 ? 1 : edge(n, p, exponent, true) - edge(n, p, exponent, false) + 1;
}

std::vector<BinomialBlock> binomial_blocks(double n, double p, double exponent, double fineness) {
  // The loops below would not end for a NaN, nor beyond 2^53, where k + 1 may be no double.
  if (!(n >= 0 && n <= 0x1p53 && p >= 0)) return {{kNaN, kNaN, kNaN}};
  if (p >= 1) return {{n, n, 1}};
  const double low = edge(n, p, exponent, false), high = edge(n, p, exponent, true);
  const double mode = within(std::floor((n + 1) * p), low, high);
  std::vector<BinomialBlock> blocks{{mode, mode, 1}};
  walk(mode, low, -1, n, p, fineness, blocks);
  walk(mode, high, 1, n, p, fineness, blocks);
  double sum = 0;
  for (const BinomialBlock& b : blocks) sum += b.weight;
  // Dividing by the sum over low..high, instead of over all values, can only raise a weight. A mass takes
  // five roundings per step of walk(): two for the odds, two for the ratio and one for the product. So the
  // ratio of two masses takes five for each step between them, and the additions within their blocks and over
  // all blocks take at most one for each value. The factor, the quotient and the product take three. Together
  // that is at most 6 (high - low) + 3.
  const double outward = (1 + 8 * kUnitRoundoff * (high - low + 8)) / sum;
  for (BinomialBlock& b : blocks) b.weight *= outward;
  for (double last = low - 1; last >= 0;) {
    const double first = larger(0.0, std::floor(last / 1.2));
    blocks.push_back({first, last, std::exp(-chernoff_exponent(last, n, p))});
    last = first - 1;
  }
  for (double first = high + 1; first <= n;) {
    const double last = smaller(n, std::ceil(first * 1.2));
    blocks.push_back({first, last, std::exp(-chernoff_exponent(first, n, p))});
    first = last + 1;
  }
  return blocks;
}

}  // namespace muster::numerics
