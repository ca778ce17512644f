#include "muster/accounting/theorems/exact/cover.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "muster/accounting/theorems/entry.h"
#include "muster/accounting/theorems/exact/shuffle_gaussian_pair.h"
#include "muster/accounting/theorems/swap/unequal_rates.h"

namespace muster::accounting {

RoundPair homogeneous(const Mechanism& mechanism, const HomogeneousShape& shape) {
  const auto curve = std::make_shared<const HomogeneousCurve>(mechanism, shape);
  std::vector<std::string> assumptions = {"a lower bound: upper is none"};
  if (std::holds_alternative<PureLocal>(mechanism)) {
    assumptions.push_back("what randomized response, one epsilon0-LDP randomizer, attains");
  }
  return {.id = "homogeneous-pair",
          .citation = "exact curve of the dataset whose other records all equal the victim's alternative",
          .assumptions = std::move(assumptions),
          .forward = [curve](double epsilon) { return curve->forward(epsilon); },
          .reverse = [curve](double epsilon) { return curve->reverse(epsilon); }};
}

RoundPair gaussian_shuffle_pair(std::uint64_t clients, double mu) {
  const auto curve = std::make_shared<const ShuffleGaussianPair>(clients, mu);
  RoundPair pair;
  pair.id = "shuffle-gaussian-pair";
  pair.citation =
      "exact curve of the dataset whose other records all equal the victim's alternative; "
      "docs/theory/shuffle-gaussian.md";
  pair.assumptions = {"a lower bound: upper is none"};
  pair.forward = [curve](double epsilon) { return curve->forward(epsilon); };
  pair.reverse = [curve](double epsilon) { return curve->reverse(epsilon); };
  return pair;
}

void add_unequal_pair(const Mechanism& mechanism, double n, double lo, double hi, Applicable& list) {
  if (!in_class_c(mechanism) && !std::holds_alternative<PureLocal>(mechanism)) return;
  if (!summable(mechanism)) return;
  const auto pair = std::make_shared<const UnequalRatesPair>(pure_epsilon0(mechanism).value(), n, lo, hi);
  list.lowers.push_back({.id = "unequal-rates-pair",
                         .citation =
                             "exact curve of one dataset, the victim at the largest rate and all others "
                             "at the smallest; docs/theory/unequal-rates.md",
                         .assumptions = {"a lower bound: upper is none"},
                         .forward = [pair](double epsilon) { return pair->forward(epsilon); },
                         .reverse = [pair](double epsilon) { return pair->reverse(epsilon); }});
}

std::vector<RoundPair> k_rr_pairs(const KRandomizedResponse& mechanism, const KRRShape& shape) {
  const auto curve = [k = static_cast<double>(mechanism.k), epsilon0 = mechanism.epsilon0,
                      shape](OthersHold others) {
    return [=](double epsilon) { return k_rr_dataset_delta(shape, k, epsilon0, others, epsilon); };
  };
  std::vector<RoundPair> list;
  if (mechanism.k >= 3) {
    list.push_back(
        {.id = "k-rr-third-symbol",
         .citation =
             "exact curve of the dataset whose other records all equal a third symbol; docs/theory/k-rr.md",
         .assumptions = {"a lower bound: upper is none"},
         .forward = curve(OthersHold::third),
         .reverse = curve(OthersHold::third)});
  }
  return list;
}

void add_third_symbol(const Mechanism& mechanism, const KRRShape& shape, Applicable& list) {
  if (const auto* response = std::get_if<KRandomizedResponse>(&mechanism); response && summable(mechanism)) {
    for (RoundPair& pair : k_rr_pairs(*response, shape)) {
      list.lowers.push_back(std::move(pair));
    }
  }
}

}  // namespace muster::accounting
