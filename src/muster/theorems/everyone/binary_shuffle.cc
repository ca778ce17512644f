#include "muster/theorems/everyone/binary_shuffle.h"

#include <cmath>

#include "muster/numerics/ordered.h"
#include "muster/theorems/everyone/blanket.h"
#include "muster/theorems/everyone/k_rr.h"

namespace muster::accounting {
namespace {

constexpr double kCut = 110;
// Bounds the relative error of a product of two masses. At 1,000 clients, the logarithms of the masses at
// the two modes err by at most 1.01e-11 in total. Up to 8.2e-12 of this comes from three log-gammas of up
// to 5,900 each, which may err by 4 units in the last place (docs/theory/arithmetic.md). The rest comes
// from p and q, which have four roundings, and from the sums. The recurrences take at most 400 steps of
// four roundings, which adds 1.8e-13, and the sums of masses add 1e-13. Measured errors are about 2e-12.
constexpr double kRelative = 1.2e-11;

}  // namespace

BinaryShuffle::Binomial BinaryShuffle::binomial(int count, double success, double failure) {
  const int mode = numerics::within(static_cast<int>((count + 1) * success), 0, count);
  const double log_mode = std::lgamma(count + 1.0) - std::lgamma(mode + 1.0) -
                          std::lgamma(count - mode + 1.0) + mode * std::log(success) +
                          (count - mode) * std::log(failure);
  std::vector<double> down;
  std::vector<double> up{std::exp(log_mode)};
  const double least = up[0] * std::exp(-kCut);
  for (int j = mode; j > 0; --j) {
    const double next = (down.empty() ? up[0] : down.back()) * j / (count - j + 1.0) * (failure / success);
    if (next < least) break;
    down.push_back(next);
  }
  for (int j = mode; j < count; ++j) {
    const double next = up.back() * (count - j) / (j + 1.0) * (success / failure);
    if (next < least) break;
    up.push_back(next);
  }
  Binomial law;
  law.first = mode - static_cast<int>(down.size());
  law.mass.assign(down.rbegin(), down.rend());
  law.mass.insert(law.mass.end(), up.begin(), up.end());
  law.above.assign(law.mass.size(), 0);
  for (std::size_t j = law.mass.size() - 1; j > 0; --j) {
    law.above[j - 1] = law.above[j] + law.mass[j];
  }
  return law;
}

BinaryShuffle::BinaryShuffle(double n, double epsilon0) : n_(n), epsilon0_(epsilon0) {
  if (n > kMaxClients) {
    return;
  }
  const int others = static_cast<int>(n) - 1;
  const double p = 1 / (1 + std::exp(-epsilon0));
  const double q = 1 / (1 + std::exp(epsilon0));
  for (int i = 0; i <= others; ++i) {
    own_.push_back(binomial(i, p, q));
    other_.push_back(binomial(others - i, q, p));
  }
}

BinaryShuffle::Parts BinaryShuffle::parts(int i, int s) const {
  const Binomial& x = own_[static_cast<std::size_t>(i)];
  const Binomial& y = other_[static_cast<std::size_t>(i)];
  const int x_size = static_cast<int>(x.mass.size());
  const int y_size = static_cast<int>(y.mass.size());
  // j is an index into x.mass, and offset - j is the matching index into y.mass. If offset - j is negative,
  // the sum of both variables is above s for every y. If offset - j is past the end of y.mass, the sum is
  // never above s.
  const int offset = s - x.first - y.first;
  const int from = numerics::within(offset - y_size + 1, 0, x_size);
  const int to = numerics::within(offset + 1, from, x_size);
  Parts sum{0, 0};
  for (int j = from; j < to; ++j) {
    const auto place = static_cast<std::size_t>(offset - j);
    sum.at += x.mass[static_cast<std::size_t>(j)] * y.mass[place];
    sum.above += x.mass[static_cast<std::size_t>(j)] * y.above[place];
  }
  const double all = y.above.front() + y.mass.front();
  if (to < x_size) {
    sum.above +=
        (to > 0 ? x.above[static_cast<std::size_t>(to - 1)] : x.above.front() + x.mass.front()) * all;
  }
  return sum;
}

// The search climbs from the starting guess to the maximum over s. Let D(s) be the expression that is
// maximised (binary_shuffle.h). Then
//     D(s) - D(s-1) = P(S_i = s) (E p - q) - P(S_i = s-1) (p - E q),
// and because the masses of S_i are log-concave, D first rises and then falls.
numerics::Enclosure BinaryShuffle::best(int i, double epsilon, int& s) const {
  const double e = std::exp(epsilon);
  const double q = 1 / (1 + std::exp(epsilon0_));
  const double gain = q * e * std::expm1(epsilon0_ - epsilon);  // p - E q
  const double loss = std::expm1(epsilon);
  const auto value = [&](int at) {
    const Parts sum = parts(i, at);
    const double size = gain * sum.at + loss * sum.above;
    const double difference = gain * sum.at - loss * sum.above;
    return std::pair{difference, kRelative * size + 1e-44};
  };
  auto here = value(s);
  for (int step : {1, -1}) {
    while (true) {
      const int next = s + step;
      if (next < 0 || next >= static_cast<int>(n_)) break;
      const auto there = value(next);
      if (there.first < here.first || (there.first == here.first && here.first > 0)) break;
      s = next;
      here = there;
    }
  }
  // Because of round-off, the search may stop although the value at a neighbouring s is larger. That value
  // is then larger by at most its rounding error, which the factor 2 covers.
  return {numerics::larger(0.0, here.first - here.second),
          numerics::larger(0.0, here.first + 2 * here.second)};
}

numerics::Enclosure BinaryShuffle::dataset(int i, double epsilon) const {
  if (epsilon >= epsilon0_) {
    return {0, 0};
  }
  const double p = 1 / (1 + std::exp(-epsilon0_));
  int s = static_cast<int>(i * p + (n_ - 1 - i) * (1 - p));
  return best(i, epsilon, s);
}

numerics::Enclosure BinaryShuffle::delta(double epsilon) const {
  if (epsilon >= epsilon0_) {
    return {0, 0};
  }
  const numerics::Enclosure blanket = pure_blanket_delta(n_, epsilon0_, epsilon);
  if (n_ > kMaxClients) {
    const RoundShape shape{n_, n_, 1};
    const double own = k_rr_dataset_delta(shape, 2, epsilon0_, OthersHold::own, epsilon).lower;
    const double alternative =
        k_rr_dataset_delta(shape, 2, epsilon0_, OthersHold::alternative, epsilon).lower;
    return {numerics::smaller(numerics::larger(own, alternative), blanket.upper), blanket.upper};
  }
  numerics::Enclosure worst{0, 0};
  int s = static_cast<int>((n_ - 1) / (1 + std::exp(epsilon0_)));
  for (int i = 0; i < static_cast<int>(n_); ++i) {  // from i to i + 1 the maximiser moves by 0 or 1
    const numerics::Enclosure one = best(i, epsilon, s);
    worst = {numerics::larger(worst.lower, one.lower), numerics::larger(worst.upper, one.upper)};
  }
  const double upper = numerics::smaller(worst.upper, blanket.upper);
  return {numerics::smaller(worst.lower, upper), upper};
}

}  // namespace muster::accounting
