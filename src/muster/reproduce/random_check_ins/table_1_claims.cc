#include "muster/reproduce/random_check_ins/table_1_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "muster/papers/published/published_random_check_in.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/random_check_ins/table_1_rows.h"

namespace muster::reproduce {
namespace {

constexpr double kLarge = 1e16;  // n at which the leading term of each formula dominates up to epsilon0 = 5
constexpr double kNear = 0.1;    // how far a slope in epsilon0 may lie from the printed exponent
constexpr double kNearInN = 0.05;
constexpr double kLowN = 1e8, kHighN = 1e12;  // the ends of the range for slopes in log n

using Function = std::function<double(double)>;

// Return the slope of log f between low and high, in x and in log x.
double slope(const Function& f, double low, double high) { return std::log(f(high) / f(low)) / (high - low); }
double log_slope(const Function& f, double low, double high) {
  return std::log(f(high) / f(low)) / std::log(high / low);
}

// Lists the slopes that were found, each with the exponent that the paper prints.
class Slopes {
 public:
  explicit Slopes(double tolerance) : tolerance_(tolerance) {}
  void add(const std::string& name, double found, double printed) {
    near_ = near_ && std::fabs(found - printed) <= tolerance_;
    words_ += fmt::format("{}{} {:.3f} ({})", words_.empty() ? "" : "; ", name, found, printed);
  }
  bool all_near() const { return near_; }
  const std::string& words() const { return words_; }

 private:
  double tolerance_;
  bool near_ = true;
  std::string words_;
};

Slopes slopes_in_epsilon0(double n) {
  Slopes slopes(kNear);
  for (const TableRow& row : amplifying_rows()) {
    slopes.add(row.name, slope([&](double epsilon0) { return row.epsilon(epsilon0, n); }, 3, 5),
               row.exponent_of_epsilon0);
  }
  return slopes;
}

Finding exponents_epsilon0(double drawn) {
  const Slopes slopes = slopes_in_epsilon0(kLarge), at_drawn = slopes_in_epsilon0(drawn);
  return {"002-table-1-exponents-epsilon0",
          !slopes.all_near()    ? Verdict::not_reproduced
          : at_drawn.all_near() ? Verdict::holds
                                : Verdict::holds_with_a_note,
          fmt::format(
              "Slopes of log epsilon in epsilon0 over [3, 5] at n = {}, and in brackets the printed "
              "exponents: {}. At the picture's n = {} the second terms, which fall like 1/n, still count: "
              "{}. Without amplification epsilon is epsilon0.",
              power_of_ten(kLarge), slopes.words(), power_of_ten(drawn), at_drawn.words())};
}

Finding exponents_n() {
  constexpr double kEpsilon0 = 2, kSlotsLow = 1e4, kSlotsHigh = 1e6;
  Slopes slopes(kNearInN);
  for (const TableRow& row : amplifying_rows()) {
    slopes.add(row.name, log_slope([&](double n) { return row.epsilon(kEpsilon0, n); }, kLowN, kHighN),
               row.exponent_of_n);
  }
  const auto one_run = [&](double slots, double n) {
    return one_fixed_window(kEpsilon0, slots, slots / n, kTableDelta);
  };
  slopes.add("one run of the fixed window with p0 = 1 and m = n",
             log_slope([&](double n) { return one_run(n, n); }, kLowN, kHighN),
             number_of("002-remark-2-recovered"));
  slopes.add("one run with p0 = m/n, in n",
             log_slope([&](double n) { return one_run(kSlotsLow, n); }, kLowN, kHighN),
             number_of("002-remark-1-amplification", 1));
  slopes.add("the same, in m",
             log_slope([&](double slots) { return one_run(slots, kHighN); }, kSlotsLow, kSlotsHigh),
             number_of("002-remark-1-amplification", 0));
  return {"002-table-1-exponents-n", slopes.all_near() ? Verdict::holds : Verdict::not_reproduced,
          fmt::format("Slopes of log epsilon in log n over [{}, {}] at epsilon0 = {}, and in brackets the "
                      "printed exponents: {}.",
                      power_of_ten(kLowN), power_of_ten(kHighN), kEpsilon0, slopes.words())};
}

Finding small_epsilon0() {
  constexpr double kLow = 0.01, kHigh = 0.1;
  const double in_epsilon0 = number_of("002-table-1-small-epsilon0", 0),
               in_n = number_of("002-table-1-small-epsilon0", 1);
  Slopes slopes(kNear), of_n(kNearInN);
  for (const TableRow& row : amplifying_rows()) {
    slopes.add(row.name,
               log_slope([&](double epsilon0) { return row.epsilon(epsilon0, kLarge); }, kLow, kHigh),
               in_epsilon0);
    of_n.add(row.name, log_slope([&](double n) { return row.epsilon(kHigh, n); }, kLowN, kHighN), in_n);
  }
  const auto averaged = [](double epsilon0, double slots) {
    return one_averaged(epsilon0, slots, slots, kTableDelta);
  };
  slopes.add("averaged updates",
             log_slope([&](double epsilon0) { return averaged(epsilon0, kLarge); }, kLow, kHigh),
             number_of("002-theorem-4-1-small", 0));
  of_n.add("averaged updates, in m = n",
           log_slope([&](double slots) { return averaged(kHigh, slots); }, kLowN, kHighN),
           number_of("002-theorem-4-1-small", 1));
  return {"002-table-1-small",
          slopes.all_near() && of_n.all_near() ? Verdict::holds : Verdict::not_reproduced,
          fmt::format(
              "Slopes of log epsilon in log epsilon0 over [{}, {}], and in brackets the printed exponents: "
              "{}. In log n over [{}, {}] at epsilon0 = {}: {}.",
              kLow, kHigh, slopes.words(), power_of_ten(kLowN), power_of_ten(kHighN), kHigh, of_n.words())};
}

// Returns the largest ratio of Theorem 3.2 to its simplified form over a grid, in which `rates` are the
// values of p0. With p0 = 1, Theorem 3.2 is Theorem 4.3. The numbers of `statement` (paper_texts.h) are the
// limits of epsilon0 and of delta, and the factor of the simplified form.
double largest_share(const std::string& statement, const std::vector<double>& rates) {
  const double last = number_of(statement, 0), first_delta = number_of(statement, 1),
               factor = number_of(statement, 2);
  double most = 0;
  for (const double epsilon0 : {0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999}) {
    for (const double delta : {1e-30, 1e-12, 1e-6, 1e-3, 0.5, 0.999}) {
      for (const double slots : {1.0, 2.0, 10.0, 100.0, 1e4, 1e6}) {
        for (const double p0 : rates) {
          const double at = epsilon0 * last, below = delta * first_delta,
                       simple = factor * p0 * at * std::sqrt(-std::log(below) / slots);
          most = std::max(most, one_fixed_window(at, slots, p0, below) / simple);
        }
      }
    }
  }
  return most;
}

Finding simplified() {
  const double fixed = largest_share("002-theorem-3-2-simplified", {0.001, 0.1, 0.5, 1}),
               sliding = largest_share("002-theorem-4-3-simplified", {number_of("002-averaged-p", 1)});
  const double factor = number_of("002-theorem-3-2-simplified", 2), half = 0.5, slots = 1e12, delta = 1e-6;
  const double room =
      factor * half * std::sqrt(-std::log(delta) / slots) / one_fixed_window(half, slots, 1, delta);
  return {"002-table-1-simplified", std::max(fixed, sliding) <= 1 ? Verdict::holds : Verdict::is_false,
          fmt::format(
              "Over grids of epsilon0 to 0.999, delta to 0.00999, m from 1 to 10^6 and p0, Theorem 3.2 is at "
              "most {:.3f} times its simplified form, Theorem 4.3 at most {:.3f} times; at epsilon0 = 1/2 "
              "and large m the simplified form is {:.2f} times Theorem 3.2.",
              fixed, sliding, room)};
}

Finding averaged() {
  const double printed = number_of("002-averaged-cost");
  const auto cost = [](double epsilon0) {
    return one_averaged(epsilon0, kLarge, kLarge, kTableDelta) /
           one_fixed_window(epsilon0, kLarge, 1, kTableDelta);
  };
  const double found = slope(cost, 3, 5);
  return {"002-table-1-averaged",
          std::fabs(found - printed) <= kNear ? Verdict::holds : Verdict::not_reproduced,
          fmt::format(
              "The slope in epsilon0 over [3, 5] of the logarithm of Theorem 4.1 over Theorem 3.2, at p0 = 1 "
              "and m = n = {}, is {:.3f}; printed is the exponent {}.",
              power_of_ten(kLarge), found, printed)};
}

// Let v be the variance of the noise of n updates divided by their squared signal. Returns v for a fixed
// window of m = n slots with p0 = 1, divided by v for a shuffle of n, at equal epsilon by the paper's
// theorems. The noise is Laplace, whose variance is proportional to 1 / epsilon0^2, and dummies carry no
// signal.
double noise_ratio(double epsilon0_of_shuffle, double n) {
  const double epsilon =
      accounting::random_check_in::shuffling(epsilon0_of_shuffle, n).epsilon_as_published(kTableDelta);
  double low = epsilon0_of_shuffle / 10, high = epsilon0_of_shuffle * 10;
  for (int i = 0; i < 100; ++i) {
    const double middle = low + (high - low) / 2;
    (one_fixed_window(middle, n, 1, kTableDelta) < epsilon ? low : high) = middle;
  }
  const double real = 1 - accounting::random_check_in::expected_dummies_fixed(n, n, 1) / n;
  return std::pow(epsilon0_of_shuffle / (low * real), 2);
}

Finding factor_e(double n) {
  const double printed = number_of("002-table-1-noise");
  const double small = noise_ratio(0.001, n), one = noise_ratio(1, n);
  const double dummies = accounting::random_check_in::expected_dummies_fixed(n, n, 1) / n;
  const bool is_e = std::fabs(small / printed - 1) < 0.05 || std::fabs(std::sqrt(small) / printed - 1) < 0.05;
  return {
      "002-table-1-factor-e", is_e ? Verdict::holds_with_a_note : Verdict::not_reproduced,
      fmt::format(
          "At p0 = m/n a share {:.3f} of the updates are dummies, which carry noise and no signal. "
          "Compared are one run of m = n slots and a shuffle of n with Laplace noise, at the same epsilon by "
          "Theorems 3.2 and 5.1. The run's variance of noise over squared signal is {:.2f} times the "
          "shuffle's if the shuffle has epsilon0 = 0.001, in deviations {:.2f} times; if it has epsilon0 = "
          "1, {:.2f} times the variance. Printed is {:.3f}, for which the text gives no derivation.",
          dummies, small, std::sqrt(small), one, printed)};
}

}  // namespace

std::vector<Finding> table_1_findings(double drawn) {
  return {
      exponents_epsilon0(drawn), exponents_n(), small_epsilon0(), simplified(), averaged(), factor_e(drawn)};
}

}  // namespace muster::reproduce
