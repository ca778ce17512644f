#include "tests/reference/swap_sum.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "tests/reference/binomials.h"

namespace muster::reference {
namespace {

// A relative margin on every mass, a thousand times the rounding error of the arithmetic.
constexpr long double kRound = 1e-9L;

// An atom of a centred term, or of a sum of centred terms. With X* = u - E v (swap_sum.h), u' = w (u - 1) and
// v' = w (v - 1), the member x is u'/E - v' and the member v is v'.
struct Atom {
  long double mass, x, v;
};
using Atoms = std::vector<Atom>;

// --- one term ---------------------------------------------------------------------------------------------

class Term {
 public:
  Term(const SwapSum& sum, double epsilon, double cut) : e_(exp(Real(epsilon))) {
    reach_ = std::log(1e4 * sum.threshold.middle());
    if (sum.randomizer.kind == Randomizer::Kind::gaussian) {
      normal(sum.randomizer.mu(), cut);
    } else {
      const Real e0 = exp(Real(sum.randomizer.epsilon0)), q = Real(1.0) / (e0 + Real(1.0));
      add(q, q * e0 - q, Real(0.0));  // (u, v) = (e0, 1), given by mass times u - 1 and v - 1
      add(q, Real(0.0), q * e0 - q);
      add(Real(1.0) - q - q, q + q - Real(1.0), q + q - Real(1.0));
    }
    // Terms that are present have the weight w = 1/(1 + c), where c is the Poisson number of rivals.
    Atoms weighted;
    const long double here = sum.present.below(), away = sum.absent.below();
    long double chance = std::exp(-static_cast<long double>(sum.rivals)), left = 1;
    for (double c = 0; left > 1e-14L && c < 1e6; ++c) {
      // Counts with a probability of at most 1e-18 are left out.
      const long double part = sum.rivals == 0 ? 1 : chance, w = 1 / (1 + static_cast<long double>(c));
      for (const Atom& a : atoms_) {
        if (part > 1e-18L) weighted.push_back({here * part * a.mass, w * a.x, w * a.v});
      }
      left -= part;
      chance *= static_cast<long double>(sum.rivals) / (1 + static_cast<long double>(c));
    }
    if (away > 0) weighted.push_back({away, 0, 0});
    atoms_ = std::move(weighted);
  }
  const Atoms& atoms() const { return atoms_; }

 private:
  // Adds an atom, given its mass and the integrals of u - 1 and v - 1 over it.
  void add(const Real& mass, const Real& up, const Real& down) {
    if (!(mass.below() > 0)) return;
    const Real x = (up / e_ - down) / mass, v = down / mass;
    atoms_.push_back({mass.below(), (x.below() + x.above()) / 2, (v.below() + v.above()) / 2});
  }

  // Adds the atoms of (u, v). A loss l beyond the cut gives u = e^l and v = 1, with the mass of the loss
  // under Q. A loss l before the cut gives u = 1 and v = e^-l, with its mass under P. The remaining mass is
  // at u = v = 0.
  void normal(const Real& mu, double cut) {
    const Real half = mu / Real(2.0), start(cut);
    const auto p_beyond = [&](const Real& l) { return upper_normal(l / mu - half); };
    const auto q_beyond = [&](const Real& l) { return upper_normal(l / mu + half); };
    const auto p_before = [&](const Real& l) { return upper_normal(half - l / mu); };
    const auto q_before = [&](const Real& l) { return upper_normal(-half - l / mu); };
    const double step = std::min(mu.middle() / 16, 0.12);
    const auto negative = [&](const Real& p, const Real& q) { add(p, Real(0.0), q - p); };
    const auto positive = [&](const Real& p, const Real& q) { add(q, p - q, Real(0.0)); };
    const double mean = half.middle() * mu.middle(), far = 13 * mu.middle();
    const double low = std::min(cut, std::max(-reach_, mean - far)), high = std::min(cut, reach_);
    Real at(low);
    negative(p_before(at), q_before(at));
    for (double next = low + step; at.middle() < high; next += step) {
      const Real to(std::min(next, high));
      // Differences are taken on the side where both tails are small, so that nothing cancels.
      negative(p_before(to) - p_before(at), q_beyond(at) - q_beyond(to));
      at = to;
    }
    if (high < cut) negative(p_before(start) - p_before(at), q_beyond(at) - q_beyond(start));
    at = start;
    const double last = std::min(cut + reach_, std::max(cut + step, mean + far));
    for (double next = cut + step; at.middle() < last; next += step) {
      const Real to(std::min(next, last));
      positive(p_beyond(at) - p_beyond(to), q_beyond(at) - q_beyond(to));
      at = to;
    }
    positive(p_beyond(at), q_beyond(at));
    const Real rest = p_beyond(start) - q_beyond(start);
    add(rest, -rest, -rest);
  }

  Real e_;
  double reach_;
  Atoms atoms_;
};

// --- sums of terms ----------------------------------------------------------------------------------------

// Cells for sums of terms, narrow near the bulk of the mass and wider far from it. Every choice of cells
// gives a lower bound; the choice decides how close it is.
class Cells {
 public:
  Cells(long double centre, long double spread, long double far, double fine)
      : fine_(fine), centre_(static_cast<double>(centre)), scale_(static_cast<double>(2.5L * spread)) {
    most_ = index(std::asinh(static_cast<double>(far) / scale_));
    cells_.assign(2 * static_cast<std::size_t>(most_) + 2, {0, 0, 0});
  }
  void add(long double mass, long double x, long double v) {
    const double y = (static_cast<double>(x) - centre_) / scale_, size = std::min(std::fabs(y), 1e200);
    const int from =
        std::min(index(size > 1e8 ? std::log(2 * size) : std::log(size + std::sqrt(size * size + 1))), most_);
    Atom& cell = cells_[static_cast<std::size_t>(y < 0 ? most_ - from : most_ + 1 + from)];
    cell.mass += mass;
    cell.x += mass * x;
    cell.v += mass * v;
  }
  Atoms atoms(long double least) const {
    Atoms result;
    for (const Atom& c : cells_) {
      if (c.mass > least && c.mass > 0) result.push_back({c.mass, c.x / c.mass, c.v / c.mass});
    }
    return result;
  }

 private:
  int index(double t) const {
    return static_cast<int>(fine_ * (t < 2 ? t * 26 : t < 3 ? 52 + (t - 2) * 12 : 64 + (t - 3) * 6));
  }
  double fine_, centre_, scale_;
  int most_ = 0;
  std::vector<Atom> cells_;
};

struct Sum {
  Atoms atoms;
  double terms = 0;
  long double centre = 0, spread = 0;
};

class Adder {
 public:
  // `weight` is E/A, so that an atom adds its mass times u' / A = weight (x + v') to P.
  Adder(double all, long double threshold, long double weight, long double least, double fine)
      : all_(all), threshold_(threshold), weight_(weight), least_(least), fine_(fine) {}

  Sum single(const Atoms& atoms) const {
    Sum s{atoms, 1, 0, 0};
    measure(s);
    return gathered(s);
  }

  Sum plus(const Sum& a, const Sum& b) const {
    const double terms = a.terms + b.terms;
    Cells cells = cells_for(a.centre + b.centre, std::hypot(a.spread, b.spread), terms);
    const bool same = &a == &b;
    for (std::size_t i = 0; i < a.atoms.size(); ++i) {
      const Atom& left = a.atoms[i];
      for (std::size_t j = same ? i : 0; j < b.atoms.size(); ++j) {
        const Atom& right = b.atoms[j];
        const long double mass = left.mass * right.mass * (same && j > i ? 2 : 1);
        if (mass > 0) cells.add(mass, left.x + right.x, left.v + right.v);
      }
    }
    Sum c{cells.atoms(0), terms, 0, 0};
    measure(c);
    prune(c);
    return c;
  }

 private:
  Cells cells_for(long double centre, long double spread, double terms) const {
    const long double part = std::sqrt(static_cast<long double>(terms / all_));
    return {centre, std::max({spread, 2e-3L * threshold_ * part, 1e-12L}),
            1e4L * (threshold_ + std::fabs(centre)) + 100 * spread, fine_};
  }
  // Sets `centre` to the median, and `spread` to half the distance between the 16 % and 84 % quantiles.
  static void measure(Sum& s) {
    std::sort(s.atoms.begin(), s.atoms.end(), [](const Atom& a, const Atom& b) { return a.x < b.x; });
    long double total = 0, sum = 0, low = 0, high = 0;
    for (const Atom& a : s.atoms) total += a.mass;
    bool below = true, before = true;
    for (const Atom& a : s.atoms) {
      sum += a.mass;
      if (below && sum >= 0.16L * total) low = a.x, below = false;
      if (before && sum >= 0.5L * total) s.centre = a.x, before = false;
      high = a.x;
      if (sum >= 0.84L * total) break;
    }
    s.spread = (high - low) / 2;
  }
  Sum gathered(const Sum& s) const {
    Cells cells = cells_for(s.centre, s.spread, s.terms);
    for (const Atom& a : s.atoms) cells.add(a.mass, a.x, a.v);
    Sum result{cells.atoms(0), s.terms, s.centre, s.spread};
    prune(result);
    return result;
  }
  void prune(Sum& s) const {
    const long double least = least_ * static_cast<long double>(s.terms / all_);
    std::erase_if(s.atoms, [&](const Atom& a) {
      const long double up = std::max(0.0L, a.x + a.v - 1e-15L * std::fabs(a.x));
      return a.mass * (1 + weight_ * up) < least;
    });
  }

  double all_;
  long double threshold_, weight_, least_;
  double fine_;
};

}  // namespace

Line supporting_line(const SwapSum& sum, double epsilon, double cut, long double drop) {
  const long double e = exp(Real(epsilon)).below(), threshold = sum.threshold.below();
  const Real exact = sum.threshold * -expm1(-Real(epsilon));
  const long double outward = exact.above();
  const bool pure = sum.randomizer.kind != Randomizer::Kind::gaussian;
  // Terms of few values have sums that lie farther apart, so they get finer cells.
  const Adder adder(sum.terms, outward, e / threshold, drop * 1e-5L, pure ? 4 : 1);
  Sum power = adder.single(Term(sum, epsilon, cut).atoms()), all;
  for (auto left = static_cast<unsigned long long>(sum.terms); left > 0; left /= 2) {
    if (left % 2 == 1) all = all.terms > 0 ? adder.plus(all, power) : power;
    if (left > 1) power = adder.plus(power, power);
  }
  long double value = 0, q = 0;
  for (const Atom& a : all.atoms) {
    const long double over = a.x - outward - (std::fabs(a.x) + outward) * 1e-14L;
    if (!(over > 0)) continue;
    value += a.mass * over / threshold;
    q += a.mass * std::max(0.0L, 1 + a.v / threshold);
  }
  const long double p = (e * value + e * q) * (1 - kRound);
  return {p, q * (1 + kRound), pure ? sum.randomizer.epsilon0 : cut};
}

long double swap_value(const SwapSum& sum, double epsilon, long double drop) {
  const Line line = supporting_line(sum, epsilon, epsilon, drop);
  return std::max(0.0L, line.p - exp(Real(epsilon)).above() * line.q);
}

Pair swap_pair(const SwapSum& sum, double tail) {
  if (sum.randomizer.kind == Randomizer::Kind::gaussian || sum.rivals > 0) return {};
  const long double threshold = sum.threshold.above(), n = sum.terms;
  const Real e0 = exp(Real(sum.randomizer.epsilon0)), q = Real(1.0) / (e0 + Real(1.0));
  const Real one_side = sum.present * q, heavy = one_side + one_side, light = Real(1.0) - heavy;
  const bool silent = sum.absent.surely_positive();
  const Real away = sum.absent / light, here = Real(1.0) - away;
  const long double gain = (e0 - Real(1.0)).below(), spare = sum.threshold.below() - n;
  const double mean = sum.terms * heavy.middle();
  // Outcomes with nearly equal losses are merged, positive and negative losses alike.
  std::map<long, Outcome> merged;
  const auto put = [&](long double p, long double q_mass) {
    const double loss = static_cast<double>(std::log(p / q_mass));
    Outcome& o = merged[std::lround(std::asinh(loss / 0.02) * 500)];
    o.p += p * (1 - kRound);
    o.q += q_mass * (1 + kRound);
  };
  for (double k = 0; k <= sum.terms; ++k) {  // k terms are not zero
    const Real log_k = log_binomial(sum.terms, k, heavy, light);
    const long double most = exp(log_k).above() * (1 + static_cast<long double>(k) * gain / threshold);
    if (most < tail * 1e-6L) {
      if (k > mean + 2) break;
      continue;
    }
    for (double i = 0; i <= k; ++i) {  // i of them favour the record
      const double j = k - i;
      const long double chance = exp(log_k + log_binomial(k, i, Real(0.5), Real(0.5))).below();
      const long double counts =
          chance *
          (1 + std::max(static_cast<long double>(i), static_cast<long double>(j)) * gain / threshold);
      if (counts < tail * 1e-7L) continue;
      const double others = sum.terms - k;
      const auto outcome = [&](double silents, long double mass) {
        const long double base = spare + static_cast<long double>(k) + static_cast<long double>(silents);
        const long double p = (static_cast<long double>(i) * gain + base) / threshold;
        const long double r = (static_cast<long double>(j) * gain + base) / threshold;
        if (mass > 0 && (p > 0 || r > 0)) {
          if (p > 0 && r > 0) put(mass * p, mass * r);
        }
      };
      if (!silent) {
        outcome(0, chance);
        continue;
      }
      const double middle = others * away.middle(), sd = std::sqrt(others * away.middle() * here.middle());
      const double first = std::max(0.0, std::floor(middle - 9 * sd - 20)),
                   end = std::min(others, std::ceil(middle + 9 * sd + 20));
      Binomials law(others, away, here, first);
      for (double s = first; s <= end; ++s, law.next()) outcome(s, chance * law.value());
    }
  }
  Pair pair;
  pair.reserve(merged.size());
  for (const auto& [label, o] : merged) pair.push_back(o);
  return pair;
}

}  // namespace muster::reference
