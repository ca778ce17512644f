#include "muster/theorems/cover.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/number_text.h"
#include "muster/theorems/check_in/swap_profile.h"
#include "muster/theorems/entry.h"
#include "muster/theorems/everyone/blanket.h"
#include "muster/theorems/exact/cover.h"
#include "muster/theorems/swap/class_c.h"
#include "muster/theorems/swap/cover.h"
#include "muster/theorems/swap/unequal_rates.h"

namespace muster::accounting {
namespace {

// From this epsilon0 on, the values of a term of the swap theorem's sum are so far apart that the curve is
// tabulated without RoundBound::knot.
constexpr double kLatticeOfTerms = 30;
// With this many clients expected to be absent, P(nobody is absent) <= e^-700 is negligible.
constexpr double kNobodyAbsent = 700;
// With at least kManyAbsent clients expected to be absent, a bound for the plain shuffle, which makes no use
// of their absence, is hardly ever the smallest. Its tables may then take only kShareBesideManyAbsent of the
// work of a full table.
constexpr double kManyAbsent = 10, kShareBesideManyAbsent = 0.25;

// --- rates in [lo, hi], lo < hi -------------------------------------------------------------------

struct Rates {
  double n, lo, hi;
};

RoundBound unequal_blanket(const Mechanism& mechanism, double epsilon0, const Rates& rates,
                           const std::vector<std::string>& who) {
  return {.id = "unequal-rates-blanket",
          .validity = Validity::proven,
          .citation = "privacy blanket of the clients that report for certain; docs/theory/unequal-rates.md",
          .assumptions = with_mechanism(mechanism, who),
          .delta = [rates, epsilon0](double epsilon) {
            return of_bound(thinned_blanket_delta(rates.n, rates.lo, epsilon0, epsilon));
          }};
}

RoundBound unequal_class_c(const Mechanism& mechanism, const Rates& rates, std::vector<std::string> who) {
  const double epsilon0 = pure_epsilon0(mechanism).value();
  who.emplace_back(kOneRoundAtATime);
  return {.id = "unequal-rates-class-c",
          .validity = Validity::proven,
          .citation = "unequal rates and the worst types of the others; docs/theory/unequal-rates.md",
          .assumptions = with_mechanism(mechanism, std::move(who)),
          .delta = curve_of(ClassCCurve::unequal(epsilon0, rates.n, rates.lo, rates.hi))};
}

RoundBound unequal_swap(const Mechanism& mechanism, const Rates& rates, const std::vector<std::string>& who) {
  return {.id = "unequal-rates-swap",
          .validity = Validity::proven,
          .citation = "swap theorem for unequal rates, profile-only form; docs/theory/unequal-rates.md",
          .assumptions = with_mechanism(mechanism, who),
          .delta = curve_of(UnequalRatesCurve(ReportingSum(mechanism), rates.n, rates.lo, rates.hi))};
}

void cover_unequal_rates(const Mechanism& mechanism, const ShuffledCheckIn& p, Applicable& list) {
  const Rates rates{count_of(p.clients()), min_message_rate(p).value(), p.rate().value()};
  const std::vector<std::string> who = {
      kSecretCoins, fmt::format("{} honest clients, each at an effective rate in [{}, {}]",
                                p.clients().value(), number_text(rates.lo), number_text(rates.hi))};
  // In this pair, all n clients report with probability `hi`.
  add_homogeneous_pair(mechanism, {rates.n, rates.n, rates.hi}, list);
  add_unequal_rates_pair(mechanism, rates.n, rates.lo, rates.hi, list);
  if (rates.hi < 1) {
    if (summable_in_class_c(mechanism)) list.uppers.push_back(unequal_class_c(mechanism, rates, who));
    list.uppers.push_back(unequal_swap(mechanism, rates, who));
    return;
  }
  const std::optional<double> epsilon0 = pure_epsilon0(mechanism);
  if (epsilon0 && summable(mechanism)) {
    list.uppers.push_back(unequal_blanket(mechanism, *epsilon0, rates, who));
  } else {
    list.missing = "no theorem for unequal rates up to 1: a largest rate of 1 - 50/n is enough";
  }
}

// --- one rate for all, below 1 --------------------------------------------------------------------

double knot_of_sum(const Mechanism& mechanism, double n) {
  const std::optional<double> epsilon0 = pure_epsilon0(mechanism);
  return epsilon0 && *epsilon0 < kLatticeOfTerms ? knot_of(*epsilon0, n) : 0;
}

// Below this sigma, the terms of the Gaussian's sum have such heavy tails that each node of a table takes
// several times as much work as above it, and losses are so large that a bound depends on a fine lattice. A
// table then has a finer lattice and may take twice the work of a full table. For 1,000 rounds at sigma 0.4,
// this lowers the numerical error from 3.8e-3 to 9e-4 of epsilon. The other bounds with large losses are
// those of epsilon0-LDP randomizers, whose curves fall suddenly. For these bounds, a finer lattice took more
// work and gave nothing.
constexpr double kHeavyTailedSigma = 0.62, kShareOfHeavyTails = 2;

bool has_heavy_tails(const Mechanism& mechanism) {
  const auto* gaussian = std::get_if<GaussianLocal>(&mechanism);
  return gaussian != nullptr && gaussian->sigma() < kHeavyTailedSigma;
}

// A check-in is a plain shuffle of everybody's messages, each of which is then dropped with the same
// probability. Dropping is post-processing, so every bound for the shuffle holds. Where hardly anybody is
// absent, these bounds can be smaller than those for the check-in.
void add_plain_shuffle(const Mechanism& mechanism, const ShuffledCheckIn& p, Applicable& list) {
  const double absent = count_of(p.clients()) * (1 - p.rate().value());
  if (absent > kNobodyAbsent) return;
  Applicable shuffle;
  cover(mechanism, Shuffle{p.clients()}, shuffle);
  for (RoundBound& bound : shuffle.uppers) {
    bound.assumptions.push_back(
        fmt::format("holds for everybody reporting, and dropping each message with "
                    "probability {:.6g} is post-processing",
                    1 - p.rate().value()));
    if (absent >= kManyAbsent) bound.share *= kShareBesideManyAbsent;
    list.uppers.push_back(std::move(bound));
  }
}

void cover_one_rate(const Mechanism& mechanism, const ShuffledCheckIn& p, Applicable& list) {
  const double n = count_of(p.clients()), rate = p.rate().value();
  const RoundShape shape{n, n, rate};
  const std::vector<std::string> who = {
      kSecretCoins,
      fmt::format("{} honest clients, each at effective rate {}", p.clients().value(), number_text(rate))};
  const auto sum = std::make_shared<const ReportingSum>(mechanism);
  RoundBound profile_only{
      .id = "swap-profile",
      .validity = Validity::proven,
      .citation = "swap theorem for shuffled check-in, profile-only form; docs/theory/profile-only.md",
      .assumptions = {},
      .delta = [sum, p](double epsilon) { return swap_delta(*sum, p, epsilon); },
      .knot = knot_of_sum(mechanism, n),
      .share = has_heavy_tails(mechanism) ? kShareOfHeavyTails : 1,
      .fine_if_large = has_heavy_tails(mechanism)};
  add_swap_bounds(mechanism, shape, who, sum, std::move(profile_only), list);
  add_plain_shuffle(mechanism, p, list);
}

}  // namespace

void cover(const Mechanism& mechanism, const ShuffledCheckIn& p, Applicable& list) {
  if (min_message_rate(p).value() < p.rate().value()) {
    cover_unequal_rates(mechanism, p, list);
  } else if (p.rate().value() < 1) {
    cover_one_rate(mechanism, p, list);
  } else {
    cover(mechanism, Shuffle{p.clients()}, list);
  }
}

}  // namespace muster::accounting
