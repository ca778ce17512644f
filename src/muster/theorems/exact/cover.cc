#include "muster/theorems/exact/cover.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "muster/theorems/entry.h"
#include "muster/theorems/everyone/k_rr.h"
#include "muster/theorems/exact/homogeneous.h"
#include "muster/theorems/exact/shuffle_gaussian_pair.h"
#include "muster/theorems/swap/unequal_rates.h"

namespace muster::accounting {

void add_homogeneous_pair(const Mechanism& mechanism, const RoundShape& shape, Applicable& list) {
  // No pair of data sets is known that attains a tabulated profile, and a channel may have no suitable pair
  // of records (Channel::pair).
  const auto* given = std::get_if<ProfileLocal>(&mechanism);
  if (given != nullptr && (given->channel() == nullptr || given->channel()->pair().empty())) return;
  const auto curve = std::make_shared<const HomogeneousCurve>(mechanism, shape);
  std::vector<std::string> assumptions = {kLowerAlone};
  if (std::holds_alternative<PureLocal>(mechanism)) {
    assumptions.push_back("what randomized response, one epsilon0-LDP randomizer, attains");
  }
  list.lowers.push_back(
      {.id = "homogeneous-pair",
       .citation = "exact curve of the data set whose other records all equal the victim's alternative",
       .assumptions = std::move(assumptions),
       .forward = [curve](double epsilon) { return curve->forward(epsilon); },
       .reverse = [curve](double epsilon) { return curve->reverse(epsilon); }});
}

void add_shuffle_gaussian_pair(const GaussianLocal& mechanism, ClientCount clients, Applicable& list) {
  const auto curve = std::make_shared<const ShuffleGaussianPair>(clients.value(), mechanism.mu());
  list.lowers.push_back(
      {.id = "shuffle-gaussian-pair",
       .citation = "exact curve of the data set whose other records all equal the victim's alternative; "
                   "docs/theory/shuffle-gaussian.md",
       .assumptions = {kLowerAlone},
       .forward = [curve](double epsilon) { return curve->forward_minorant(epsilon); },
       .reverse = [curve](double epsilon) { return own_minorant(curve->reverse(epsilon)); }});
}

void add_third_symbol(const Mechanism& mechanism, const RoundShape& shape, Applicable& list) {
  const auto* response = std::get_if<KRandomizedResponse>(&mechanism);
  if (response == nullptr || response->k() < 3 || !summable(mechanism)) return;
  const PairCurve curve = [shape, k = static_cast<double>(response->k()),
                           epsilon0 = response->epsilon0()](double epsilon) {
    return own_minorant(k_rr_dataset_delta(shape, k, epsilon0, OthersHold::third, epsilon));
  };
  list.lowers.push_back(
      {.id = "k-rr-third-symbol",
       .citation =
           "exact curve of the data set whose other records all equal a third symbol; docs/theory/k-rr.md",
       .assumptions = {kLowerAlone},
       .forward = curve,
       .reverse = curve});
}

void add_unequal_rates_pair(const Mechanism& mechanism, double n, double lo, double hi, Applicable& list) {
  if (!in_class_c(mechanism) && !std::holds_alternative<PureLocal>(mechanism)) return;
  if (!summable(mechanism)) return;
  const auto pair = std::make_shared<const UnequalRatesPair>(pure_epsilon0(mechanism).value(), n, lo, hi);
  list.lowers.push_back({.id = "unequal-rates-pair",
                         .citation =
                             "exact curve of one data set, the victim at the largest rate and all others "
                             "at the smallest; docs/theory/unequal-rates.md",
                         .assumptions = {kLowerAlone},
                         .forward = [pair](double epsilon) { return own_minorant(pair->forward(epsilon)); },
                         .reverse = [pair](double epsilon) { return own_minorant(pair->reverse(epsilon)); }});
}

}  // namespace muster::accounting
