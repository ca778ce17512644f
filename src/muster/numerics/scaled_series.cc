#include "muster/numerics/scaled_series.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::numerics {
namespace {

// The exponent of the number 0, below every other exponent.
constexpr std::int32_t kZeroExponent = -(1 << 29);
// Logarithms must be below this in modulus, so that the exponents of sums and products fit in 32 bits.
constexpr double kMaxLog = 3e8;
constexpr Scaled kUnknown{std::numeric_limits<double>::quiet_NaN(), 0};
constexpr std::size_t kBlock = 256;
constexpr int kLanes = 8;

// 2^e for -1022 <= e <= 0. A smaller e gives 2^-1022, because a term that small is negligible beside the
// largest one.
inline double power(std::int32_t e) {
  const std::int64_t clamped = e < -1022 ? -1022 : e;
  return std::bit_cast<double>((clamped + 1023) << 52);
}

// The sum over j = first..last of term(j) 2^exponent(j), for non-negative term(j) <= 2^loose. The first
// pass finds the largest exponent of each block of kBlock terms. The second adds up the blocks whose terms
// are not negligible beside 2^top, where `top` is the largest exponent of all.
template <class Exponent, class Term>
Scaled sum(std::size_t first, std::size_t last, double loose, Exponent&& exponent, Term&& term) {
  if (first > last) return {};
  const std::size_t blocks = (last - first) / kBlock + 1;
  thread_local std::vector<std::int32_t> tops;
  tops.assign(blocks, std::numeric_limits<std::int32_t>::min());
  std::int32_t top = std::numeric_limits<std::int32_t>::min();
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t from = first + block * kBlock, to = smaller(last + 1, from + kBlock);
    std::int32_t highest = std::numeric_limits<std::int32_t>::min();
    for (std::size_t j = from; j < to; ++j) highest = larger(highest, exponent(j));
    tops[block] = highest;
    top = larger(top, highest);
  }
  if (top <= kZeroExponent / 2) return {};

  // Skipped blocks sum to at most `skipped`, relative to 2^top. If that is not negligible beside the sum, a
  // second attempt adds up all blocks.
  for (const double threshold : {-70 - loose, -std::numeric_limits<double>::infinity()}) {
    long double total = 0;
    double skipped = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t from = first + block * kBlock, to = smaller(last + 1, from + kBlock);
      const auto add = [&](auto&& factor) {
        double lanes[kLanes] = {};
        std::size_t j = from;
        for (; j + kLanes <= to; j += kLanes) {
          for (std::size_t i = 0; i < kLanes; ++i) lanes[i] += term(j + i) * factor(j + i);
        }
        for (; j < to; ++j) lanes[0] += term(j) * factor(j);
        for (const double lane : lanes) total += lane;
      };
      if (tops[block] - top < threshold) {
        skipped += std::exp2(static_cast<double>(tops[block] - top) + loose) * kBlock;
        add([](std::size_t) { return 0.0; });  // adds 0, or NaN if a term is NaN
      } else {
        add([&](std::size_t j) { return power(exponent(j) - top); });
      }
    }
    // The skipped blocks then change the sum by at most one rounding, which kConvolutionUlps counts.
    if (skipped <= kUnitRoundoff * static_cast<double>(total)) return scaled(static_cast<double>(total), top);
  }
  return kUnknown;  // reached only if the total is NaN, because the second attempt skips nothing
}

}  // namespace

Scaled scaled(double x, std::int32_t exponent) {
  if (x == 0) return {0, kZeroExponent};
  if (!(x > 0 && std::isfinite(x))) return kUnknown;
  int shift;
  const double half = std::frexp(x, &shift);  // half is in [0.5, 1)
  return {2 * half, exponent + shift - 1};
}

Scaled scaled_exp(double log_value) {
  if (log_value == -std::numeric_limits<double>::infinity()) return {0, kZeroExponent};
  if (!(std::fabs(log_value) < kMaxLog)) return kUnknown;
  const double whole = std::floor(log_value * std::numbers::log2e);
  // What is left of the logarithm is log_value - whole ln 2. With ln 2 in two pieces, high + low, the product
  // whole * high is exact for |whole| < 2^30.
  const double high = 0x1.62e42p-1, low = 0x1.fdf473de6af28p-22;
  return scaled(std::exp((log_value - whole * high) - whole * low), static_cast<std::int32_t>(whole));
}

Scaled operator*(Scaled a, Scaled b) {
  if (a.mantissa == 0 || b.mantissa == 0) return {0, kZeroExponent};
  return scaled(a.mantissa * b.mantissa, a.exponent + b.exponent);
}

Scaled operator+(Scaled a, Scaled b) {
  if (a.mantissa == 0) return b;
  if (b.mantissa == 0) return a;
  if (a.exponent < b.exponent) std::swap(a, b);
  const std::int32_t down = larger(b.exponent - a.exponent, -2000);
  return scaled(a.mantissa + std::ldexp(b.mantissa, down), a.exponent);
}

double log_of(Scaled a) {
  if (a.mantissa == 0) return -std::numeric_limits<double>::infinity();
  return std::log(a.mantissa) + a.exponent * std::numbers::ln2;
}

void ScaledSeries::push_back(Scaled value) {
  mantissa_.push_back(value.mantissa);
  exponent_.push_back(value.mantissa == 0 ? kZeroExponent : value.exponent);
}

Scaled convolution(const ScaledSeries& a, const ScaledSeries& b, std::size_t l, std::size_t first,
                   std::size_t last) {
  const double *ma = a.mantissas(), *mb = b.mantissas();
  const std::int32_t *ea = a.exponents(), *eb = b.exponents();
  return sum(
      first, last, 2, [=](std::size_t j) { return ea[j] + eb[l - j]; },
      [=](std::size_t j) { return ma[j] * mb[l - j]; });
}

Scaled weighted_convolution(const ScaledSeries& a, const std::vector<double>& w, double shift,
                            const std::vector<double>& c, const PairSeries& pairs, std::size_t l,
                            std::size_t first, std::size_t last) {
  const double *ma = a.mantissas(), *ww = w.data(), *cc = c.data(), *x = pairs.x.data(), *y = pairs.y.data();
  const std::int32_t *ea = a.exponents(), *e = pairs.exponent.data();
  // w and c increase, so w_j - shift and c_j are largest at j = last. The mantissa, x and y are each below 2,
  // so a term is below 4 times `largest`; a factor of 16 is allowed for.
  const double largest =
      larger(std::fabs(ww[last] - shift), 1.0) + std::fabs(cc[last]) + std::fabs(ww[first]);
  return sum(
      first, last, std::log2(largest) + 4, [=](std::size_t j) { return ea[j] + e[l - j]; },
      [=](std::size_t j) { return ma[j] * ((ww[j] - shift) * x[l - j] + cc[j] * y[l - j]); });
}

}  // namespace muster::numerics
