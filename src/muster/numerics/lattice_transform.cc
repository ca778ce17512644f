#include "muster/numerics/lattice_transform.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::numerics {
namespace {

// A bound on the error of a butterfly low + r high with a root of unity r, in units of kUlpAbove and relative
// to the one-norm of the inputs. The error is at most sqrt(5) u from the product, u from the sum, and 2.6 u
// from r, where u is the unit round-off. That is 5.9 u in all, less than 3 kUlpAbove.
constexpr double kLevel = 3;

// e^{2 pi i k / n} for k < n / 2, each from the sine and cosine of an angle of at most an eighth of a
// turn. The constant 2 pi and the product make the relative error of the angle at most 1.4 u, so its absolute
// error is at most 1.1 u. The sine and the cosine are each wrong by less than u, so a root is wrong by at
// most 2.6 u.
std::vector<std::complex<double>> roots(std::size_t n) {
  std::vector<std::complex<double>> root(n / 2);
  for (std::size_t k = 0; k < n / 2; ++k) {
    const bool second_quarter = 4 * k >= n;
    const std::size_t in_quarter = second_quarter ? k - n / 4 : k;
    const bool far = 8 * in_quarter > n;
    const std::size_t in_eighth = far ? n / 4 - in_quarter : in_quarter;
    const double angle = 2 * std::numbers::pi * (static_cast<double>(in_eighth) / static_cast<double>(n));
    const double sine = std::sin(angle);
    const double cosine = std::cos(angle);
    const std::complex<double> turn = far ? std::complex(sine, cosine) : std::complex(cosine, sine);
    root[k] = second_quarter ? std::complex(-turn.imag(), turn.real()) : turn;
  }
  return root;
}

void to_bit_reversed_order(std::vector<double>& a) {
  const std::size_t n = a.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) {
      j ^= bit;
    }
    j ^= bit;
    if (i < j) {
      std::swap(a[i], a[j]);
    }
  }
}

// The roots of one level, e^{2 pi i k / (2 half)} for k < half, in consecutive memory.
struct Level {
  Level(const std::vector<std::complex<double>>& root, std::size_t half) : re(half), im(half) {
    const std::size_t stride = root.size() / half;
    for (std::size_t k = 0; k < half; ++k) {
      re[k] = root[k * stride].real();
      im[k] = root[k * stride].imag();
    }
  }
  std::vector<double> re;
  std::vector<double> im;
};

// Replaces the values low and high of every two cells that are `half` apart by low + r high and low - r high,
// where r is the root of unity of the pair.
void one_level(std::vector<double>& re, std::vector<double>& im, const Level& level) {
  const std::size_t half = level.re.size();
  for (std::size_t first = 0; first < re.size(); first += 2 * half) {
    for (std::size_t k = first, t = 0; t < half; ++k, ++t) {
      const double r = re[k + half] * level.re[t] - im[k + half] * level.im[t];
      const double i = re[k + half] * level.im[t] + im[k + half] * level.re[t];
      re[k + half] = re[k] - r;
      im[k + half] = im[k] - i;
      re[k] += r;
      im[k] += i;
    }
  }
}

// Does the same as one_level() for two levels, in one pass over memory: first for the pairs of cells that are
// `half` apart, then for those twice as far apart.
void two_levels(std::vector<double>& re, std::vector<double>& im, const Level& near, const Level& far) {
  const std::size_t half = near.re.size();
  const double* __restrict nr = near.re.data();
  const double* __restrict ni = near.im.data();
  const double* __restrict fr = far.re.data();
  const double* __restrict fi = far.im.data();
  for (std::size_t first = 0; first < re.size(); first += 4 * half) {
    double* __restrict r0 = re.data() + first;
    double* __restrict r1 = r0 + half;
    double* __restrict r2 = r1 + half;
    double* __restrict r3 = r2 + half;
    double* __restrict i0 = im.data() + first;
    double* __restrict i1 = i0 + half;
    double* __restrict i2 = i1 + half;
    double* __restrict i3 = i2 + half;
    for (std::size_t k = 0; k < half; ++k) {
      const double br = r1[k] * nr[k] - i1[k] * ni[k];
      const double bi = r1[k] * ni[k] + i1[k] * nr[k];
      const double dr = r3[k] * nr[k] - i3[k] * ni[k];
      const double di = r3[k] * ni[k] + i3[k] * nr[k];
      const double ar = r0[k] + br;
      const double ai = i0[k] + bi;
      const double sr = r0[k] - br;
      const double si = i0[k] - bi;
      const double cr = r2[k] + dr;
      const double ci = i2[k] + di;
      const double tr = r2[k] - dr;
      const double ti = i2[k] - di;
      const double pr = cr * fr[k] - ci * fi[k];
      const double pi = cr * fi[k] + ci * fr[k];
      const double qr = tr * fr[k + half] - ti * fi[k + half];
      const double qi = tr * fi[k + half] + ti * fr[k + half];
      r0[k] = ar + pr;
      i0[k] = ai + pi;
      r2[k] = ar - pr;
      i2[k] = ai - pi;
      r1[k] = sr + qr;
      i1[k] = si + qi;
      r3[k] = sr - qr;
      i3[k] = si - qi;
    }
  }
}

}  // namespace

LatticeTransform::LatticeTransform(const std::vector<std::int64_t>& index, const std::vector<double>& weights,
                                   int log2_cells)
    : re_(std::size_t{1} << log2_cells), im_(re_.size()) {
  const std::size_t n = re_.size();
  double total = 0;
  std::int64_t first_point = 0;
  std::int64_t last_point = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    // In two's complement the bitwise AND is the residue modulo n (a power of two), also for negative
    // indices.
    re_[static_cast<std::size_t>(index[i]) & (n - 1)] += weights[i];
    total += weights[i];
    first_point = smaller(first_point, index[i]);
    last_point = larger(last_point, index[i]);
  }
  to_bit_reversed_order(re_);
  const std::vector<std::complex<double>> root = roots(n);
  std::size_t half = 1;
  if (log2_cells % 2 == 1) {
    one_level(re_, im_, Level(root, half));
    half = 2;
  }
  for (; half < n; half *= 4) {
    two_levels(re_, im_, Level(root, half), Level(root, 2 * half));
  }
  // minus_total is the difference of two outputs. The error of each is at most log2 N times kLevel kUlpAbove,
  // relative to the sum of the weights. `shared`, in units of kUlpAbove, allows for the other rounding
  // errors: one for each atom that is added to the same cell, and one for the subtraction.
  const double shared = static_cast<double>(last_point - first_point) / static_cast<double>(n) + 8;
  error_ = 2 * kUlpAbove * total * (kLevel * log2_cells + shared);
}

}  // namespace muster::numerics
