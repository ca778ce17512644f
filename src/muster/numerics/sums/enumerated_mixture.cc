#include "muster/numerics/sums/enumerated_mixture.h"

#include <cmath>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::numerics {
namespace {

struct SumAtom {
  double sum;
  double least, most;  // the ends of an enclosure of its probability
  int nonzero;         // the number of terms that are not zero
};

// The law of the sum of `count` independent terms: one atom for each choice of how many terms equal each atom
// of `law`.
std::vector<SumAtom> atoms_of_sum(const AtomicLaw& law, int count) {
  // Where almost no mass is at zero, its digits are lost, although sums with terms that are zero may make up
  // the whole value. So both ends of its enclosure are used.
  const Enclosure rest = law.mass_at_zero();
  const std::size_t atoms = law.points.size();
  std::vector<SumAtom> all;
  const auto visit = [&](auto&& self, std::size_t atom, int left, double sum, double p, int nonzero) -> void {
    if (atom == atoms) {
      double least = p, most = p;
      for (int c = 1; c <= left; ++c) {
        least *= rest.lower;
        most *= rest.upper;
      }
      if (!(most <= 0)) {  // a NaN is kept, so that the result is NaN
        all.push_back({sum, least, most, nonzero});
      }
      return;
    }
    for (int c = 0; c <= left; ++c) {
      self(self, atom + 1, left - c, sum + c * law.points[atom], p, nonzero + c);
      p *= law.weights[atom] * (left - c) / (c + 1);  // builds up the binomial coefficients
    }
  };
  visit(visit, 0, count, 0, 1, 0);
  return all;
}

// The largest modulus of an atom.
double modulus_of(const AtomicLaw& law) { return larger(law.largest_point(), -law.smallest_point()); }

}  // namespace

bool enumerable_mixture(const AtomicLaw& first, const AtomicLaw& second, double terms) {
  return terms <= 24 && first.points.size() <= 2 && second.points.size() <= 2;
}

Enclosure enumerated_mixture(const AtomicLaw& first, const AtomicLaw& second, double terms, double k,
                             Mixing mixing) {
  const int n = static_cast<int>(terms);
  const int others = mixing == Mixing::swap ? n - 1 : n;
  const Enclosure absent = first.mass_at_zero();
  // factor[N] is the weight of sums with N nonzero terms: n absent / (n - N) for Mixing::swap, and 1
  // otherwise.
  std::vector<double> factor(static_cast<std::size_t>(others) + 1, 1.0);
  if (mixing == Mixing::swap) {
    for (int i = 0; i <= others; ++i) {
      factor[static_cast<std::size_t>(i)] = absent.upper * n / (n - i);
    }
  }
  // Rounding moves a sum, and its excess over k, by at most `near`: there are up to four products, five sums
  // and a difference, with one rounding (slack.h) each. So a sum that is computed as k or a little less may
  // exceed k.
  const double moduli = std::abs(k) + terms * larger(modulus_of(first), modulus_of(second));
  const double near = kEightyRoundings * moduli;
  double upper = 0, lower = 0;
  for (int h = 0; h <= others; ++h) {
    const std::vector<SumAtom> left = atoms_of_sum(first, h);
    const std::vector<SumAtom> right = atoms_of_sum(second, others - h);
    double least = 0, total = 0, mass_above = 0;
    for (const SumAtom& x : left) {
      for (const SumAtom& y : right) {
        const double excess = x.sum + y.sum - k;
        if (excess <= -near) continue;
        const double weight =
            factor[static_cast<std::size_t>(x.nonzero) + static_cast<std::size_t>(y.nonzero)];
        const double mass = x.most * y.most * weight;
        least += x.least * y.least * weight * larger(0.0, excess);
        total += mass * larger(0.0, excess);
        mass_above += mass;
      }
    }
    const double error = total * kEightThousandRoundings + mass_above * near;
    upper = larger(upper, total + error);
    lower = larger(lower, least - error);
  }
  const double underflow = 1e-290 * (1 + moduli);
  const double inward = mixing == Mixing::swap ? absent.lower / absent.upper : 1;
  return {lower * inward, upper + underflow};
}

}  // namespace muster::numerics
