#include "muster/numerics/sums/coarsened_law.h"

#include <cmath>

#include "muster/numerics/ordered.h"
#include "muster/numerics/work.h"

namespace muster::numerics {
namespace {

// Tuning: every choice gives a valid law. Smaller constants keep it closer to the given law, with more atoms.
// kBin is the width of a bin, as a share of one standard deviation or, farther from 0 than that, of the
// distance from 0.
constexpr double kBin = 1.0 / 256;
// The largest width of an interval, divided by the sum of its distance from 0 and one deviation.
constexpr double kWidest = 0.04;
constexpr double kWorkOfBin = 80;  // work per bin and per atom, in units of numerics/work.h
// The largest relative increase of the variance that an interval of several bins may cause.
constexpr double kAddedVariance = 1e-7;

// The bins on one side of 0. Edges and atoms are given by their distance from 0.
class HalfLine {
 public:
  HalfLine(double reach, double unit) : unit_(unit), log_unit_(std::log(unit)) {
    const double step = unit * kBin;
    edges_.push_back(0);
    while (edges_.back() < reach) {
      const double last = edges_.back();
      edges_.push_back(last < unit ? last + step : last * (1 + kBin));
    }
    if (edges_.size() > 1) edges_.back() = reach;
    mass_.resize(edges_.size());
    moment_.resize(edges_.size());
  }

  std::size_t bins() const { return edges_.size(); }

  // Adds an atom at a distance of at most the reach from 0; `log_distance` is nearly the logarithm of
  // `distance`.
  void add(double distance, double log_distance, double weight) {
    const double guess =
        distance < unit_ ? distance / (unit_ * kBin) : 1 / kBin + (log_distance - log_unit_) * kBinsPerUnit;
    std::size_t bin = static_cast<std::size_t>(larger(0.0, guess));
    bin = smaller(bin, edges_.size() - 2);
    while (distance < edges_[bin]) --bin;
    while (bin + 2 < edges_.size() && distance >= edges_[bin + 1]) ++bin;
    const long double mass = weight;
    mass_[bin] += mass;
    moment_[bin] += mass * (static_cast<long double>(distance) - edges_[bin]);
  }

  // Joins the bins into intervals and adds the atoms at their ends to `result`: above 0 if `sign` is 1, below
  // 0 if it is -1. An interval of several bins adds at most `max_added` to the variance.
  void split(double sign, double max_added, AtomicLaw& result) const {
    const std::size_t bins = edges_.size() - 1;
    long double at_low = 0;  // mass that the previous interval puts on this interval's inner end
    for (std::size_t first = 0; first < bins;) {
      const double low = edges_[first], widest = kWidest * (low + unit_);
      long double mass = 0, moment = 0;  // `moment` is the first moment about `low`
      std::size_t next = first;
      for (; next < bins; ++next) {
        const double gap = edges_[next + 1] - low;
        const long double grown = mass + mass_[next];
        if (next > first && (gap > widest || static_cast<double>(grown) * gap * gap > 4 * max_added)) break;
        mass = grown;
        moment += moment_[next] + mass_[next] * (static_cast<long double>(edges_[next]) - low);
      }
      const long double gap = static_cast<long double>(edges_[next]) - low;
      // `moment` and `mass` are sums of nonnegative terms, so `up` has a relative error of 2^-64 for each
      // atom and a few more, which weight_error.h covers. The mass that stays at `low` is mass - up. Where
      // this difference cancels, its absolute error is below the error that is allowed in `up`, and it needs
      // no rounding outward: its error changes the expected excess of a sum of terms by less than the
      // allowance for `up` does. The reason is that the expected excess is larger with a term at the outer
      // end (on the positive side of 0) or at 0 (on the negative side) than with a term at `low`.
      const long double up = within(moment / gap, 0.0L, mass);
      result.add(sign * low, static_cast<double>(at_low + (mass - up)));
      at_low = up;
      first = next;
    }
    result.add(sign * edges_.back(), static_cast<double>(at_low));
  }

 private:
  // About 1 / log(1 + kBin), the number of bins per unit of log_distance.
  static constexpr double kBinsPerUnit = 256.5;
  double unit_, log_unit_;
  std::vector<double> edges_;
  std::vector<long double> mass_, moment_;
};

}  // namespace

AtomicLaw coarsened_law(const AtomicLaw& law) { return coarsened_product(law, {1}, {1}); }

AtomicLaw coarsened_product(const AtomicLaw& law, const std::vector<double>& weights,
                            const std::vector<double>& probabilities, std::size_t most) {
  const auto exact = [&] {
    AtomicLaw all;
    for (std::size_t w = 0; w < weights.size(); ++w) {
      for (std::size_t i = 0; i < law.points.size(); ++i) {
        all.add(weights[w] * law.points[i], probabilities[w] * law.weights[i]);
      }
    }
    return all;
  };
  if (law.points.size() * weights.size() <= most) return exact();
  double heaviest = 0, square = 0, mean = 0;
  for (std::size_t w = 0; w < weights.size(); ++w) {
    heaviest = larger(heaviest, weights[w]);
    square += probabilities[w] * weights[w] * weights[w];
    mean += probabilities[w] * weights[w];
  }
  const double mean_term = law.mean();
  const double second = law.variance() + mean_term * mean_term;
  const double variance = square * second - mean * mean * mean_term * mean_term;
  const double unit = std::sqrt(variance), max_added = kAddedVariance * variance;
  if (!(unit > 0)) return exact();
  HalfLine below(-heaviest * law.smallest_point(), unit), above(heaviest * law.largest_point(), unit);
  count_work(below.bins() + above.bins() + law.points.size() * weights.size(), kWorkOfBin, 0);
  std::vector<double> logs(law.points.size());
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i] = std::log(std::fabs(law.points[i]));
  for (std::size_t w = 0; w < weights.size(); ++w) {
    const double log_weight = std::log(weights[w]);
    for (std::size_t i = 0; i < logs.size(); ++i) {
      const double point = weights[w] * law.points[i];
      (point < 0 ? below : above)
          .add(std::fabs(point), logs[i] + log_weight, probabilities[w] * law.weights[i]);
    }
  }
  AtomicLaw result;
  below.split(-1, max_added, result);
  above.split(1, max_added, result);
  if (result.points.size() >= law.points.size() * weights.size()) return exact();  // nothing was merged
  return result;
}

}  // namespace muster::numerics
