#include "muster/accounting/theorems/cover.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/accounting/theorems/check_in/swap_profile.h"
#include "muster/accounting/theorems/entry.h"
#include "muster/accounting/theorems/everyone/blanket.h"
#include "muster/accounting/theorems/exact/cover.h"
#include "muster/accounting/theorems/swap/cover.h"
#include "muster/accounting/theorems/swap/unequal_rates.h"

namespace muster::accounting {
namespace {

constexpr double kLatticeOfTerms = 30;  // from this epsilon0 on, terms lie too far apart for a knot
// With this many clients expected to be absent, P(nobody is absent) <= e^-700 is negligible.
constexpr double kNobodyAbsent = 700;

bool unequal(const std::optional<Rate>& least, Rate most) { return least && least->value() < most.value(); }

// The bound for class C with rates in [lo, hi].
RoundBound unequal_class_c(const Mechanism& mechanism, double n, double lo, double hi,
                           std::vector<std::string> assumptions) {
  assumptions.push_back(
      "one round at a time: not inside a slot protocol, where later rounds see earlier ones");
  return {.id = "unequal-rates-class-c",
          .citation = "unequal rates and the worst types of the others; docs/theory/unequal-rates.md",
          .assumptions = with_mechanism(mechanism, std::move(assumptions)),
          .delta = curve_of(ClassCCurve::unequal(pure_epsilon0(mechanism).value(), n, lo, hi))};
}

// A check-in is a plain shuffle of everybody's messages, each of which is then dropped with the same
// probability. Dropping is post-processing, so every bound for the shuffle holds. It matters where
// hardly anybody is absent.
void add_plain_shuffle(const Mechanism& mechanism, const ShuffledCheckIn& p, Applicable& list) {
  if (count_of(p.clients) * (1 - p.rate.value()) > kNobodyAbsent) return;
  Applicable shuffle;
  cover(mechanism, Shuffle{p.clients}, shuffle);
  for (RoundBound& bound : shuffle.uppers) {
    bound.assumptions.push_back(
        fmt::format("holds for everybody reporting, and dropping each message with "
                    "probability {} is post-processing",
                    1 - p.rate.value()));
    list.uppers.push_back(std::move(bound));
  }
}

}  // namespace

void cover(const Mechanism& mechanism, const ShuffledCheckIn& p, Applicable& list) {
  const double n = count_of(p.clients);
  if (unequal(p.least, p.rate)) {
    list.lowers.push_back(homogeneous(mechanism, {n, n, p.rate.value()}));  // all of them at the largest rate
    const double lo = p.least->value(), hi = p.rate.value();
    const std::vector<std::string> assumptions = {
        kSecretCoins,
        fmt::format("{} honest clients, each at an effective rate in [{}, {}]", p.clients.value(), lo, hi)};
    add_unequal_pair(mechanism, n, lo, hi, list);
    if (hi >= 1) {
      if (const std::optional<double> epsilon0 = pure_epsilon0(mechanism); epsilon0 && summable(mechanism)) {
        list.uppers.push_back(
            {.id = "unequal-rates-blanket",
             .citation =
                 "privacy blanket of the clients that report for certain; docs/theory/unequal-rates.md",
             .assumptions = with_mechanism(mechanism, assumptions),
             .delta = [n, lo, e0 = *epsilon0](double epsilon) {
               return thinned_blanket_delta(n, lo, e0, epsilon);
             }});
      } else {
        list.missing = "no theorem for unequal rates up to 1: a largest rate of 1 - 50/n is enough";
      }
      return;
    }
    if (in_class_c(mechanism) && summable(mechanism)) {
      list.uppers.push_back(unequal_class_c(mechanism, n, lo, hi, assumptions));
    }
    list.uppers.push_back(
        {.id = "unequal-rates-swap",
         .citation = "swap theorem for unequal rates, profile-only form; docs/theory/unequal-rates.md",
         .assumptions = with_mechanism(mechanism, assumptions),
         .delta = curve_of(UnequalRatesCurve(ReportingSum(mechanism), n, lo, hi))});
    return;
  }
  if (p.rate.value() >= 1) {
    return cover(mechanism, Shuffle{p.clients}, list);
  }
  if (in_class_c(mechanism) && summable(mechanism)) {
    list.uppers.push_back(class_c(
        mechanism,
        {kSecretCoins,
         fmt::format("{} honest clients, each at effective rate {}", p.clients.value(), p.rate.value())},
        ClassCCurve::check_in(pure_epsilon0(mechanism).value(), n, p.rate.value())));
  }
  const auto sum = std::make_shared<const ReportingSum>(mechanism);
  const bool two_types = add_two_types_of_check_in(mechanism, sum, n, p.rate.value(), list.uppers);
  list.uppers.push_back(
      {.id = "swap-profile",
       .citation = "swap theorem for shuffled check-in, profile-only form; docs/theory/profile-only.md",
       .assumptions = with_mechanism(
           mechanism, {kSecretCoins, fmt::format("{} honest clients, each at effective rate {}",
                                                 p.clients.value(), p.rate.value())}),
       .delta = [sum, p](double epsilon) { return swap_delta(*sum, p, epsilon); }});
  // X* is a common majorant of the two types of class C. For the Gaussian, whose two types need a
  // correction, the curve of the two types is compared with it wherever it may be larger.
  list.uppers.back().is_dominated = two_types || (in_class_c(mechanism) && summable(mechanism));
  if (const std::optional<double> epsilon0 = pure_epsilon0(mechanism);
      epsilon0 && *epsilon0 < kLatticeOfTerms) {
    // X* of a pure mechanism lives on the lattice of e^epsilon0 - 1 when E is near 1. The knot is half
    // of the change of ln E that one more message makes.
    list.uppers.back().knot = std::log1p(std::expm1(*epsilon0) / n) / 2;
  }
  list.lowers.push_back(homogeneous(mechanism, {n, n, p.rate.value()}));
  add_third_symbol(mechanism, {n, n, p.rate.value()}, list);
  add_plain_shuffle(mechanism, p, list);
}

}  // namespace muster::accounting
