#include "muster/accounting/applicable.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "muster/accounting/bounds/homogeneous.h"
#include "muster/accounting/bounds/reporting_sum.h"
#include "muster/accounting/bounds/swap_profile.h"

namespace muster::accounting {
namespace {

constexpr double kLargestEpsilon0 = 40;  // e^40 users hide nobody

constexpr const char* kSecretCoins = "coins are secret, independent of the data and of each other";
double count_of(ClientCount clients) { return static_cast<double>(clients.value()); }

std::vector<std::string> with_mechanism(const Mechanism& mechanism, std::vector<std::string> assumptions) {
  add_assumptions(mechanism, assumptions);
  return assumptions;
}

RoundPair homogeneous(const Mechanism& mechanism, const HomogeneousShape& shape) {
  const auto curve = std::make_shared<const HomogeneousCurve>(mechanism, shape);
  std::vector<std::string> assumptions = {"a lower bound: upper is none"};
  if (std::holds_alternative<PureLocal>(mechanism)) {
    assumptions.push_back("what randomized response, one epsilon0-LDP randomizer, attains");
  }
  return {"homogeneous-pair",
          "exact curve of the dataset whose other records all equal the victim's alternative",
          std::move(assumptions), [curve](double epsilon) { return curve->forward(epsilon); },
          [curve](double epsilon) { return curve->reverse(epsilon); }};
}

// --- everybody reports
// ---------------------------------------------------------------------------------------

void cover(const Mechanism& mechanism, const Shuffle& p, Applicable& list) {
  const double n = count_of(p.clients);
  list.lowers.push_back(homogeneous(mechanism, {n, n, 1}));
  list.missing = "no theorem for this randomizer when everybody reports: a coin of rate 1 - 50/n is enough";
}

// --- a fixed subset
// ------------------------------------------------------------------------------------------

void cover(const Mechanism& mechanism, const FixedSubset& p, Applicable& list) {
  if (p.subset == p.clients.value()) {
    return cover(mechanism, Shuffle{p.clients}, list);
  }
  list.lowers.push_back(homogeneous(mechanism, {count_of(p.clients), static_cast<double>(p.subset), 1}));
}

// --- shuffled check-in
// ---------------------------------------------------------------------------------------

void cover(const Mechanism& mechanism, const ShuffledCheckIn& p, Applicable& list) {
  const double n = count_of(p.clients);
  if (p.rate.value() >= 1) {
    return cover(mechanism, Shuffle{p.clients}, list);
  }
  if (p.least && p.least->value() < p.rate.value()) {  // at one rate for all the theorem says too little
    list.missing = "no theorem for clients of unequal rates";
    list.lowers.push_back(homogeneous(mechanism, {n, n, p.rate.value()}));
    return;
  }
  const auto sum = std::make_shared<const ReportingSum>(mechanism);
  list.uppers.push_back(
      {"swap-profile", "swap theorem for shuffled check-in, profile-only form; docs/theory/profile-only.md",
       with_mechanism(mechanism, {kSecretCoins, fmt::format("{} honest clients, each at effective rate {}",
                                                            p.clients.value(), p.rate.value())}),
       [sum, p](double epsilon) { return swap_delta(*sum, p, epsilon); }});
  list.lowers.push_back(homogeneous(mechanism, {n, n, p.rate.value()}));
}

// --- random check-ins
// ----------------------------------------------------------------------------------------

void cover(const Mechanism&, const RandomCheckIn&, Applicable& list) {
  list.missing = "slot theorems are not wired";
}

// --- only the sum is seen
// ------------------------------------------------------------------------------------

void cover(const Mechanism& mechanism, const AggregatedCheckIn& p, Applicable& list) {
  cover(mechanism, ShuffledCheckIn{p.clients, p.rate, p.least}, list);
}

}  // namespace

Applicable applicable(const Mechanism& mechanism, const Participation& participation) {
  validate(mechanism);
  validate(participation);
  Applicable list;
  if (pure_epsilon0(mechanism).value_or(0) > kLargestEpsilon0) {
    list.missing = fmt::format("amplification is not computed for epsilon0 above {}", kLargestEpsilon0);
    return list;
  }
  std::visit([&](const auto& p) { cover(mechanism, p, list); }, participation);
  return list;
}

}  // namespace muster::accounting
