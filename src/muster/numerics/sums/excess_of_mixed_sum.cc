#include "muster/numerics/sums/excess_of_mixed_sum.h"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/characteristic_product.h"
#include "muster/numerics/sums/contour.h"
#include "muster/numerics/sums/excess_bounds.h"
#include "muster/numerics/sums/frequency_walk.h"
#include "muster/numerics/sums/smoothed_excess.h"

namespace muster::numerics {
namespace {

// Independent copies of a law, all multiplied by one scale.
struct Part {
  const AtomicLaw* law;
  double scale;
  double copies;
};

std::vector<Part> parts_of(const AtomicLaw& law, const std::vector<ScaledCopies>& groups) {
  std::vector<Part> parts;
  for (const ScaledCopies& group : groups) {
    parts.push_back({&law, group.scale, group.copies});
  }
  return parts;
}

std::vector<Part> parts_of(std::span<const LawCopies> laws) {
  std::vector<Part> parts;
  for (const LawCopies& each : laws) {
    parts.push_back({each.law, 1, each.copies});
  }
  return parts;
}

// The precision and the limits of an integration. Every choice gives a valid enclosure and trades its width
// for work.
struct Effort {
  double negligible;     // terms below e^-negligible of the largest one are bounded, not computed
  double finest;         // the finest smoothing s that is tried, in units of 1/c
  double smoothing_cut;  // at that smoothing, frequencies beyond smoothing_cut / s are bounded, not computed
  double coarsest;       // every s tried is below this, in units of 1/c
  double coarser;        // the ratio of successive values of s
  double budget;         // the largest work of one smoothing, in atoms times frequencies
  double aliases;        // aliases are brought below e^-aliases of the answer
  std::initializer_list<double> lambdas;  // candidates for the rate of the aliases' decay, in units of c
};
// The effort for excess_of_mixed_sum(), whose enclosure is used by itself. Smoothing widens the enclosure by
// about (s c)^2 / 2 = 3e-5 of the value. Terms are bounded instead of computed if they are below e^-26 =
// 5e-12 of the largest one, or beyond the cut, where smoothing multiplies them by at most e^{-6.5^2/2} =
// 7e-10. Together they move the bound of the star (docs/theory/star-with-a-pool.md) by a relative 1e-11. With
// 36 and 9.5 in place of 26 and 6.5, an integral would take two thirds more work.
constexpr Effort kOneLaw{26, 8e-3, 6.5, 0.2, 4, 1.5e6, contour::kAliases, {1.2, 1.6, 2.5, 5.0}};
// The effort for excess_of_laws(), whose enclosure is one part of a larger sum that is computed at many
// thresholds. The budget is a third as large; smoothing widens the enclosure by 1.3e-5 of the value, and
// aliases by e^-16 = 1e-7. Each term left out is below e^-23 = 1e-10 of the largest one. Large atoms make the
// generating function rise steeply, so rates near c give the shortest period.
constexpr Effort kSeveralLaws{23, 5e-3, 6, 0.45, 2, 5e5, 16, {1.05, 1.1, 1.2, 1.4, 1.8, 2.6}};
// Where the finest smoothing does not fit, excess_of_laws() may take this many budgets. The part of the
// enclosure's width that comes from smoothing falls with the square of the number of frequencies.
constexpr double kPatience = 6;
// A smoothing that is estimated to take more than this many budgets is not tried (see excess_by_contour.cc).
constexpr double kHopeless = 1.05;
// excess_of_laws() estimates the finest affordable smoothing. The sum may then exceed the budget by this
// factor, because the estimate of where the integrand has decayed is good to a factor of 1.5.
constexpr double kTolerated = 1.5;

struct Moments {
  double log_mgf = 0;
  double mean = 0;
  double variance = 0;
};

// log E e^{cS} of the whole sum S, and the mean and variance of S tilted by c.
Moments tilted(const std::vector<Part>& parts, double c) {
  Moments sum;
  for (const Part& group : parts) {
    const Tilt tilt = tilt_of(*group.law, c * group.scale);
    sum.log_mgf += group.copies * tilt.log_mgf;
    sum.mean += group.copies * group.scale * tilt.mean;
    sum.variance += group.copies * group.scale * group.scale * tilt.variance;
  }
  return sum;
}

// A normal smoothing of deviation s. Terms at frequencies beyond `cut` / s are bounded, not computed.
struct Smoothing {
  double s;
  double cut;
};

// The laws of the parts, with scaled points and tilted by c; parts that are always 0 are left out.
struct TiltedParts {
  std::vector<TiltedLaw> tilts;
  std::vector<double> copies;
};

TiltedParts tilted_parts(const std::vector<Part>& parts, double c) {
  TiltedParts result;
  for (const Part& part : parts) {
    if (part.copies <= 0 || part.scale <= 0) {
      continue;
    }
    AtomicLaw scaled = *part.law;
    for (double& y : scaled.points) {
      y *= part.scale;
    }
    result.tilts.emplace_back(scaled, c);
    result.copies.push_back(part.copies);
  }
  return result;
}

// A bound on the relative round-off of a term of the trapezoidal sum. It is the sum of its factors' bounds.
class RoundOffs {
 public:
  RoundOffs(const TiltedParts& parts, double c, double k) {
    for (std::size_t i = 0; i < parts.tilts.size(); ++i) {
      each_.emplace_back(parts.tilts[i], parts.copies[i], c, k);
    }
  }
  double at(double t) const {
    double sum = 0;
    for (const contour::RoundOff& each : each_) {
      sum += each.at(t);
    }
    return sum;
  }

 private:
  std::vector<contour::RoundOff> each_;
};

// The trapezoidal sum with this smoothing. It is invalid (SmoothedSum::visited) if it needs more work than
// `budget`, in frequencies.
contour::SmoothedSum trapezoid(const std::vector<Part>& parts, double k, double c, double period,
                               const Smoothing& smoothing, double budget, const Effort& effort) {
  const contour::Frequencies frequencies(period, smoothing.s, smoothing.cut);
  const TiltedParts tilted = tilted_parts(parts, c);
  contour::Product product(smoothing.s, effort.negligible, contour::Skip::by_one_factor);
  for (std::size_t i = 0; i < tilted.tilts.size(); ++i) {
    product.add(tilted.tilts[i], tilted.copies[i], frequencies.step);
  }
  return contour::smoothed_sum(product, RoundOffs(tilted, c, k), k, c, frequencies, effort.negligible,
                               budget);
}

double saddle(const std::vector<Part>& parts, double k) {
  return contour::saddle_point(
      [&](double c) {
        const Moments at = tilted(parts, c);
        return contour::Moments{at.mean, at.variance};
      },
      k, [](double c) { return 2 / c; });
}

// A sum whose expected excess over k is to be enclosed.
struct Problem {
  std::vector<Part> parts;
  double k;
  contour::Jensen jensen;
  double top = 0;    // the largest value that the sum can have
  double atoms = 0;  // largest number of atoms of a part

  Problem(std::vector<Part> of, double threshold) : parts(std::move(of)), k(threshold), jensen(threshold) {
    for (const Part& part : parts) {
      jensen.add(*part.law, part.scale, part.copies);
      top += part.copies * part.scale * part.law->largest_point();
      atoms = larger(atoms, static_cast<double>(part.law->points.size()));
    }
  }
  bool is_jensen() const { return atoms == 0 || top <= k; }
};

struct Contour {
  double c;
  double variance;   // the variance of the tilted sum
  double log_scale;  // log E e^{c(S-k)}; the integral is computed in units of e^{log_scale}
  double log_value;  // estimated logarithm of the result
  contour::Period period;
};

Contour contour_at(const Problem& problem, double c, const Effort& effort) {
  const Moments at = tilted(problem.parts, c);
  Contour contour{c, at.variance, at.log_mgf - c * problem.k, 0, {}};
  contour.log_value = contour.log_scale - 2 * std::log(c) -
                      0.5 * std::log(2 * std::numbers::pi * (at.variance + 2 / (c * c)));
  contour.period = contour::choose_period(
      c, contour.log_value,
      [&](double lambda) {
        return tilted(problem.parts, lambda).log_mgf - lambda * problem.k - 1 - std::log(lambda);
      },
      effort.lambdas, effort.aliases);
  return contour;
}

struct Attempt {
  std::optional<Enclosure> ends;  // the enclosure; nullopt if the work exceeds the budget
  double expected;                // the estimated work, in units of the budget
};

// Encloses the problem's expected excess by the integral with this smoothing. `budget` limits the work, in
// atoms times frequencies.
Attempt integrated(const Problem& problem, const Contour& at, const Smoothing& smoothing, double budget,
                   const Effort& effort) {
  const contour::SmoothedSum sum =
      trapezoid(problem.parts, problem.k, at.c, at.period.length, smoothing, budget / problem.atoms, effort);
  if (!(sum.visited >= 1)) {
    return {std::nullopt, 1 / sum.visited};
  }
  return {problem.jensen.raise(contour::without_smoothing(sum, at.log_scale, at.c, smoothing.s, at.period)),
          1};
}

// Tries ever coarser smoothings from `finest` on, until one fits the budget. Smoothings that are too costly
// by the estimate from the previous attempt are passed over. Returns nullopt if no smoothing fits.
std::optional<Enclosure> finest_affordable(const Problem& problem, const Contour& at, Smoothing finest,
                                           double budget, const Effort& effort) {
  double expected = 0;
  for (; finest.s < effort.coarsest / at.c; finest.s *= effort.coarser, expected /= effort.coarser) {
    if (expected > kHopeless) {
      continue;
    }
    const Attempt attempt = integrated(problem, at, finest, budget, effort);
    if (attempt.ends) {
      return attempt.ends;
    }
    expected = attempt.expected;
  }
  return std::nullopt;
}

double chernoff_of(const std::vector<Part>& parts, double k, double c) {
  double log_mgf = 0;
  for (const Part& part : parts) {
    const double own = part.copies * log_mgf_above(*part.law, c * part.scale);
    log_mgf += own + kEightRoundings * std::abs(own);
  }
  return chernoff_bound(log_mgf, c, k);
}

// A smoothing that needs only `frequencies` multiples of `step`, chosen so that the enclosure is narrow.
//
// The sum ends at the frequency cut / s, so s = cut / (frequencies * step). The enclosure is widened by s^2
// times the density at k for the smoothing, and by about 2 e^{-cut^2 / 2} s / (step * cut) for the terms
// beyond the cut. A smaller cut lowers the part from smoothing and raises the part from the terms beyond the
// cut. With the chosen cut, the part from the terms beyond the cut is kBeyondShare times the part from
// smoothing. The density is proportional to the sum of the terms' moduli, which is estimated from the tilted
// sum's variance. Every cut gives a valid enclosure. With this choice, the enclosure is about a third as wide
// as with a fixed cut of 6.
Smoothing finest_within(double frequencies, double step, double variance) {
  constexpr double kBeyondShare = 0.05;
  constexpr double kLeast = 2.5, kMost = 6;
  const double moduli = 1 + std::sqrt(2 * std::numbers::pi / variance) / step;
  double cut = 4;
  for (int i = 0; i < 5; ++i) {
    // `left` is the value that e^{-cut^2 / 2} must have at the chosen cut.
    const double left = kBeyondShare * cut * cut * moduli / (2 * frequencies);
    cut = within(std::sqrt(2 * larger(0.0, -std::log(left))), kLeast, kMost);
  }
  return {cut / (frequencies * step), cut};
}

// The enclosure from Chernoff's and Jensen's bounds, used where the integral costs too much.
Enclosure unintegrated(const Problem& problem, const Contour& at) {
  return problem.jensen.raise({0, chernoff_of(problem.parts, problem.k, at.c)});
}

// Roughly the frequency beyond which the product of the characteristic functions is at most e^-negligible;
// `most` if that frequency is larger.
double decay_frequency(const std::vector<Part>& parts, double c, double most, double negligible) {
  std::vector<TiltedLaw> tilts;
  double variance = 0;
  for (const Part& part : parts) {
    tilts.emplace_back(*part.law, c);
    variance += part.copies * tilts.back().variance();
  }
  const double first = std::sqrt(2 * negligible / variance);
  if (!(first > 0)) return most;  // the variance is beyond the range of a double
  for (double t = first; t < most; t *= 1.5) {
    double exponent = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      exponent +=
          parts[i].copies * std::log(std::abs(1.0 + tilts[i].characteristic_minus_one(t)) + contour::kFloor);
    }
    if (exponent < -negligible) {
      return t;
    }
  }
  return most;
}

double step_of(const Contour& at) { return 2 * std::numbers::pi / at.period.length; }

// Whether the sum over frequencies with the finest smoothing is estimated to fit the budget of
// excess_of_laws(). The sum ends where the characteristic function has decayed or where the smoothing cuts it
// off.
bool finest_is_affordable(const Problem& problem, const Contour& at) {
  const double step = step_of(at), affordable = kSeveralLaws.budget / problem.atoms;
  const double most = kSeveralLaws.smoothing_cut * at.c / kSeveralLaws.finest;
  return !(most / step > affordable &&
           decay_frequency(problem.parts, at.c, most, kSeveralLaws.negligible) / step > affordable);
}

}  // namespace

double mixed_sum_saddle(const AtomicLaw& law, const std::vector<ScaledCopies>& groups, double k) {
  return saddle(parts_of(law, groups), k);
}

double excess_of_mixed_sum_chernoff(const AtomicLaw& law, const std::vector<ScaledCopies>& groups, double k,
                                    double c) {
  return chernoff_of(parts_of(law, groups), k, c);
}

Enclosure excess_of_mixed_sum(const AtomicLaw& law, const std::vector<ScaledCopies>& groups, double k,
                              double c) {
  if (!std::isfinite(k))
    // An infinite or NaN threshold must not look like an excess of 0.
    return {0, std::numeric_limits<double>::infinity()};
  const Problem problem(parts_of(law, groups), k);
  if (problem.is_jensen()) {
    return problem.jensen.unexceeded(problem.top);
  }
  const Contour at = contour_at(problem, c, kOneLaw);
  if (!contour::is_in_range(c)) return unintegrated(problem, at);
  const auto ends =
      finest_affordable(problem, at, {kOneLaw.finest / c, kOneLaw.smoothing_cut}, kOneLaw.budget, kOneLaw);
  return ends ? *ends : unintegrated(problem, at);
}

Enclosure excess_of_laws(std::span<const LawCopies> laws, double k, std::optional<double> contour) {
  if (!std::isfinite(k)) return {0, std::numeric_limits<double>::infinity()};
  const Problem problem(parts_of(laws), k);
  if (problem.is_jensen()) {
    return problem.jensen.unexceeded(problem.top);
  }
  const double c = contour ? *contour : saddle(problem.parts, k);
  const Contour at = contour_at(problem, c, kSeveralLaws);
  if (!contour::is_in_range(c)) return unintegrated(problem, at);
  Smoothing smoothing{kSeveralLaws.finest / c, kSeveralLaws.smoothing_cut};
  double budget = kSeveralLaws.budget;
  if (!finest_is_affordable(problem, at)) {
    budget *= kPatience;
    smoothing = finest_within(budget / problem.atoms, step_of(at), at.variance);
  }
  const auto ends = finest_affordable(problem, at, smoothing, kTolerated * budget, kSeveralLaws);
  return ends ? *ends : unintegrated(problem, at);
}

bool finest_is_affordable(std::span<const LawCopies> laws, double k, std::optional<double> contour) {
  const Problem problem(parts_of(laws), k);
  if (problem.is_jensen()) return true;
  const double c = contour ? *contour : saddle(problem.parts, k);
  return finest_is_affordable(problem, contour_at(problem, c, kSeveralLaws));
}

}  // namespace muster::numerics
