#include "muster/theorems/cover.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "muster/core/number_text.h"
#include "muster/theorems/aggregated/aggregated.h"
#include "muster/theorems/aggregated/aggregated_types.h"
#include "muster/theorems/entry.h"

namespace muster::accounting {
namespace {

using SharedCurve = std::shared_ptr<const AggregatedGaussianCurve>;

// --- Gaussian messages: Theorems 10 and 11 --------------------------------------------------------

RoundPair aggregated_pair(const SharedCurve& curve) {
  return {.id = "aggregated-pair",
          .citation = "exact curve of the data set whose other records all equal the victim's alternative",
          .assumptions = {kLowerAlone},
          .forward = [curve](double epsilon) { return own_minorant(curve->delta(epsilon)); },
          .reverse = [curve](double epsilon) { return own_minorant(curve->reverse(epsilon)); }};
}

RoundBound aggregated_gaussian(const GaussianLocal& mechanism, const char* citation,
                               std::vector<std::string> assumptions, const SharedCurve& curve) {
  return {.id = "aggregated-gaussian",
          .validity = Validity::proven,
          .citation = citation,
          .assumptions = with_mechanism(mechanism, std::move(assumptions)),
          .delta = [curve](double epsilon) { return of_bound(curve->delta(epsilon)); }};
}

// Adds a second bound, which is `one_pair` but charges two or more rounds by types. `curve` must be made
// for the distance ball_diameter().
void add_types(const GaussianLocal& mechanism, RoundBound one_pair, AggregatedGaussianCurve curve,
               Applicable& list) {
  const auto types = std::make_shared<const AggregatedTypes>(std::move(curve));
  if (!types->covers()) return;
  RoundBound bound = std::move(one_pair);
  bound.id = "aggregated-gaussian-types";
  bound.citation =
      "exact worst curve of one round; in many, the worst adaptive choice of another client's record; "
      "docs/theory/aggregated.md";
  bound.assumptions.push_back(
      fmt::format("records in a ball of diameter {} noise deviations, in any dimension",
                  number_text(ball_diameter(mechanism))));
  bound.types = [types](double tail, bool rough) { return types->at(tail, rough); };
  list.uppers.push_back(std::move(bound));
}

void add_gaussian_sum(const GaussianLocal& mechanism, const AggregatedCheckIn& p, Applicable& list) {
  const double n = count_of(p.clients()), hi = p.rate().value(), lo = min_message_rate(p).value();
  const double minimum = static_cast<double>(p.minimum()), mu = mechanism.mu();
  // The victim has the largest rate and the others have the smallest. With one rate for all, this is the
  // exact worst case.
  const auto curve =
      std::make_shared<const AggregatedGaussianCurve>(mu, n, hi, lo, minimum, FewReports::destroyed);
  RoundBound bound = aggregated_gaussian(
      mechanism, "exact worst curve of the noisy sum given the number of reports; docs/theory/aggregated.md",
      {kSecretCoins,
       fmt::format("{} honest clients, each at effective rate {}", p.clients().value(),
                   lo < hi ? fmt::format("{} to {}", number_text(lo), number_text(hi)) : number_text(hi)),
       "the server sees the sum of a round's messages and their number alone",
       fmt::format("a round of fewer than {} messages is destroyed unseen", p.minimum())},
      curve);
  list.lowers.push_back(aggregated_pair(curve));
  if (lo < hi) {
    bound.delta = curve_of(AggregatedUnequalCurve(mu, n, lo, hi, minimum));
    list.uppers.push_back(std::move(bound));
    return;
  }
  list.uppers.push_back(bound);
  add_types(mechanism, std::move(bound), AggregatedGaussianCurve(ball_diameter(mechanism), n, hi, minimum),
            list);
}

void add_gaussian_sum(const GaussianLocal& mechanism, const FixedSubset& p, Applicable& list) {
  const auto curve_within = [&](double diameter) {
    return AggregatedGaussianCurve::subset(diameter, count_of(p.clients()), static_cast<double>(p.subset()));
  };
  const auto curve = std::make_shared<const AggregatedGaussianCurve>(curve_within(mechanism.mu()));
  RoundBound bound = aggregated_gaussian(
      mechanism, "exact worst curve of the noisy sum of a fixed number of reports; docs/theory/aggregated.md",
      {"the subset is uniform, independent of the data, and secret",
       fmt::format("{} honest clients, exactly {} of them reporting", p.clients().value(), p.subset()),
       "the server sees the sum of a round's messages alone"},
      curve);
  list.lowers.push_back(aggregated_pair(curve));
  list.uppers.push_back(bound);
  add_types(mechanism, std::move(bound), curve_within(ball_diameter(mechanism)), list);
}

// --- other messages: their sum is a function of the shuffled messages -----------------------------

// Removes the lower bounds that need not hold if only the messages' sum and number are seen; upper bounds
// always hold then. A lower bound holds if the sum shows how many messages there are of each kind. It shows
// this for one-hot symbols and for signs, that is, for randomized response, and for sphere and coordinate
// samplers in one dimension. For these samplers the bound is kept with this assumption, because a mechanism
// does not say its dimension.
void keep_lowers_of_sums(const Mechanism& mechanism, Applicable& list) {
  const bool histogram = !std::holds_alternative<GaussianLocal>(mechanism) &&
                         !std::holds_alternative<LaplaceLocal>(mechanism) &&
                         !std::holds_alternative<ProfileLocal>(mechanism);
  if (!histogram) list.lowers.clear();
  for (RoundPair& pair : list.lowers) {
    pair.assumptions.emplace_back(
        "attained where the sum and the number of messages show how many there are of each: symbols, or "
        "signs in one dimension");
  }
}

}  // namespace

void cover(const Mechanism& mechanism, const AggregatedCheckIn& p, Applicable& list) {
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    return add_gaussian_sum(*gaussian, p, list);
  }
  // The bounds of a shuffled check-in hold for the sum. They hold also if the sum of few messages is
  // destroyed, because the outcome is still a function of the shuffled messages.
  cover(mechanism, ShuffledCheckIn{p.clients(), p.rate(), p.min_rate()}, list);
  keep_lowers_of_sums(mechanism, list);
  if (p.minimum() > 1) list.lowers.clear();
}

void cover_sum(const Mechanism& mechanism, const Participation& participation, Applicable& list) {
  keep_lowers_of_sums(mechanism, list);
  const auto* gaussian = std::get_if<GaussianLocal>(&mechanism);
  if (gaussian == nullptr) return;
  if (const auto* p = std::get_if<ShuffledCheckIn>(&participation)) {
    add_gaussian_sum(*gaussian, AggregatedCheckIn{p->clients(), p->rate(), 1, p->min_rate()}, list);
  } else if (const auto* everybody = std::get_if<Shuffle>(&participation)) {
    add_gaussian_sum(*gaussian, AggregatedCheckIn{everybody->clients(), Rate::of(1)}, list);
  } else if (const auto* subset = std::get_if<FixedSubset>(&participation)) {
    add_gaussian_sum(*gaussian, *subset, list);
  } else if (const auto* slots = std::get_if<RandomCheckIn>(&participation)) {
    // The sums of all slots add up to the sum of a check-in. So the slots reveal at least as much as that
    // sum, and its lower bounds hold for them.
    Applicable of_one_sum;
    add_gaussian_sum(*gaussian, AggregatedCheckIn{slots->clients(), slots->rate(), 1, slots->min_rate()},
                     of_one_sum);
    list.lowers = std::move(of_one_sum.lowers);
  }
}

}  // namespace muster::accounting
