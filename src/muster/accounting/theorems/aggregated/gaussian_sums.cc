#include "muster/accounting/theorems/aggregated/gaussian_sums.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "muster/accounting/theorems/aggregated/aggregated.h"
#include "muster/accounting/theorems/aggregated/aggregated_types.h"
#include "muster/core/number_text.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

using SharedCurve = std::shared_ptr<const AggregatedGaussianCurve>;

double count_of(ClientCount clients) { return static_cast<double>(clients.value()); }

RoundPair pair_of(const SharedCurve& curve) {
  return {.id = "aggregated-pair",
          .citation = "exact curve of the dataset whose other records all equal the victim's alternative",
          .assumptions = {"a lower bound: upper is none"},
          .forward = [curve](double epsilon) { return curve->delta(epsilon); },
          .reverse = [curve](double epsilon) { return curve->reverse(epsilon); }};
}

RoundBound bound_of(const GaussianLocal& mechanism, const char* citation,
                    std::vector<std::string> assumptions, const SharedCurve& curve) {
  add_assumptions(mechanism, assumptions);
  return {.id = "aggregated-gaussian",
          .citation = citation,
          .assumptions = std::move(assumptions),
          .delta = [curve](double epsilon) { return curve->delta(epsilon); }};
}

// The diameter of a ball that holds all records, in noise deviations. Clipped records lie within 1/sigma
// of the origin; a set of smaller diameter lies in a ball of sqrt 2 times its diameter (Jung).
double ball_of(const GaussianLocal& mechanism) {
  const double root = std::sqrt(2.0) * (1 + 1e-15);
  return numerics::larger(mechanism.mu(), numerics::smaller(2 / mechanism.sigma, mechanism.mu() * root));
}

// Adds the same round, composed as a choice between types; `curve` is for records in the ball of ball_of.
void add_types(const GaussianLocal& mechanism, AggregatedGaussianCurve curve,
               std::vector<RoundBound>& uppers) {
  const auto types = std::make_shared<const AggregatedTypes>(std::move(curve));
  if (!types->covers()) return;
  RoundBound bound = uppers.back();
  bound.id = "aggregated-gaussian-types";
  bound.citation =
      "exact worst curve of one round; in many, the worst adaptive choice of another client's record; "
      "docs/theory/aggregated.md";
  bound.assumptions.push_back(
      fmt::format("records in a ball of diameter {} noise deviations, in any dimension",
                  number_text(ball_of(mechanism))));
  bound.types = [types](double tail, bool rough) { return types->at(tail, rough); };
  uppers.push_back(std::move(bound));
}

}  // namespace

GaussianSum gaussian_sum(const GaussianLocal& mechanism, const AggregatedCheckIn& p) {
  const double n = count_of(p.clients), hi = p.rate.value(), lo = p.least.value_or(p.rate).value();
  const double least = static_cast<double>(p.minimum), mu = mechanism.mu();
  // The victim has the largest rate and the others the smallest; with one rate for all this is the
  // exact worst case.
  const auto curve =
      std::make_shared<const AggregatedGaussianCurve>(mu, n, hi, lo, least, FewReports::destroyed);
  RoundBound bound = bound_of(
      mechanism, "exact worst curve of the noisy sum given the number of reports; docs/theory/aggregated.md",
      {"coins are secret, independent of the data and of each other",
       fmt::format("{} honest clients, each at effective rate {}", p.clients.value(),
                   lo < hi ? fmt::format("{} to {}", number_text(lo), number_text(hi)) : number_text(hi)),
       "the server sees the sum of a round's messages and their number alone",
       fmt::format("a round of fewer than {} messages is destroyed unseen", p.minimum)},
      curve);
  if (lo < hi) {
    bound.delta = [unequal = std::make_shared<const AggregatedUnequalCurve>(mu, n, lo, hi, least)](
                      double epsilon) { return unequal->delta(epsilon); };
  }
  GaussianSum sum{{std::move(bound)}, pair_of(curve)};
  if (!(lo < hi)) {
    add_types(mechanism, AggregatedGaussianCurve(ball_of(mechanism), n, hi, least), sum.uppers);
  }
  return sum;
}

GaussianSum gaussian_sum(const GaussianLocal& mechanism, const FixedSubset& p) {
  const auto curve = std::make_shared<const AggregatedGaussianCurve>(
      AggregatedGaussianCurve::subset(mechanism.mu(), count_of(p.clients), static_cast<double>(p.subset)));
  GaussianSum sum{
      {bound_of(mechanism,
                "exact worst curve of the noisy sum of a fixed number of reports; docs/theory/aggregated.md",
                {"the subset is uniform, independent of the data, and secret",
                 fmt::format("{} honest clients, exactly {} of them reporting", p.clients.value(), p.subset),
                 "the server sees the sum of a round's messages alone"},
                curve)},
      pair_of(curve)};
  add_types(
      mechanism,
      AggregatedGaussianCurve::subset(ball_of(mechanism), count_of(p.clients), static_cast<double>(p.subset)),
      sum.uppers);
  return sum;
}

}  // namespace muster::accounting
