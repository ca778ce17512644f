#include "muster/numerics/sums/enumerated_excess.h"

#include <cmath>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::numerics {
namespace {

// A bound on the rounding error of sum - k, relative to |k| plus the moduli of the terms. Three products,
// three sums and the difference take seven roundings (slack.h).
constexpr double kNear = kEightyRoundings;

}  // namespace

bool enumerable(const AtomicLaw& law, double n) { return n <= 100 && law.points.size() <= 3; }

Enclosure enumerated_excess(const AtomicLaw& law, double n, double k) {
  const int count = static_cast<int>(n);
  const std::size_t atoms = law.points.size();
  // Where almost no mass is at zero, the digits of this mass are lost, although sums with terms that are zero
  // may make up the whole value. So powers of both ends of its enclosure are computed.
  const Enclosure rest = law.mass_at_zero();
  // power[a][c] = weight_a^c / c!; the last two rows are for the lower and the upper end of the mass at zero.
  std::vector<std::vector<double>> power(atoms + 2, std::vector<double>(count + 1, 1.0));
  for (std::size_t a = 0; a < atoms + 2; ++a) {
    const double weight = a < atoms ? law.weights[a] : a == atoms ? rest.lower : rest.upper;
    for (int c = 1; c <= count; ++c) {
      power[a][c] = power[a][c - 1] * weight / c;
    }
  }
  // These sums are in extended precision, because a hundred terms of three atoms have 176,851 different
  // counts.
  long double least = 0, total = 0;  // the value with the lower and with the upper end of the mass at zero
  // The same sum as `total`, but with |k| plus the moduli of the terms in place of sum - k. It includes sums
  // that rounding may have moved below the threshold.
  long double size = 0;
  const auto visit = [&](auto&& self, std::size_t atom, int left, double sum, double moduli,
                         double p) -> void {
    if (atom == atoms) {
      const double mass = p * power[atoms + 1][left];
      if (sum > k) {
        least += p * power[atoms][left] * (sum - k);
        total += mass * (sum - k);
      }
      if (sum > k - kNear * moduli) size += mass * moduli;
      return;
    }
    for (int c = 0; c <= left; ++c) {
      const double term = c * law.points[atom];
      self(self, atom + 1, left - c, sum + term, moduli + std::abs(term), p * power[atom][c]);
    }
  };
  visit(visit, 0, count, 0, std::abs(k), 1);
  // The factor kEightThousandRoundings covers two roundings of each power for each term, 200 together, six of
  // the products and 90 of the sums. It also covers n!: its logarithm is at most 364 and takes eight
  // roundings of itself, which are 2,912 of n!.
  const double factorial = std::exp(std::lgamma(n + 1));
  const auto value = static_cast<double>(total);
  const double error = factorial * (value * kEightThousandRoundings + static_cast<double>(size) * kNear);
  // Products of powers that are below the smallest double are lost. Multiplied by n! <= 100!, each of them is
  // at most 1e-308 * 1e158.
  const double underflow = 1e-140 * (n * larger(0.0, law.largest_point()) + larger(0.0, -k));
  return {larger(0.0, factorial * static_cast<double>(least) - error), factorial * value + error + underflow};
}

}  // namespace muster::numerics
