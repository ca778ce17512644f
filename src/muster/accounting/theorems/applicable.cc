#include "muster/accounting/theorems/applicable.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "muster/accounting/theorems/aggregated/gaussian_sums.h"
#include "muster/accounting/theorems/check_in/gaussian_check_in.h"
#include "muster/accounting/theorems/check_in/swap_profile.h"
#include "muster/accounting/theorems/everyone/blanket.h"
#include "muster/accounting/theorems/everyone/class_c_pool.h"
#include "muster/accounting/theorems/everyone/gaussian_shuffle.h"
#include "muster/accounting/theorems/everyone/plain_shuffle.h"
#include "muster/accounting/theorems/everyone/star_pool.h"
#include "muster/accounting/theorems/exact/homogeneous.h"
#include "muster/accounting/theorems/local/local.h"
#include "muster/accounting/theorems/slots/slots.h"
#include "muster/accounting/theorems/subset/subset.h"
#include "muster/accounting/theorems/swap/class_c.h"
#include "muster/accounting/theorems/swap/reporting_sum.h"
#include "muster/accounting/theorems/swap/unequal_rates.h"
#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

// The largest epsilon0 for which sums are computed, because their terms are as large as e^epsilon0.
constexpr double kLargestEpsilon0 = 100;
constexpr double kLatticeOfTerms = 30;  // from this epsilon0 on, terms lie too far apart for a knot
// With this many clients expected to be absent, P(nobody is absent) <= e^-700 is negligible.
constexpr double kNobodyAbsent = 700;
// At this rate, 1e12 clients together send one report in a thousand rounds, so there is no amplification.
constexpr double kLeastRate = 1e-15;

constexpr const char* kSecretCoins = "coins are secret, independent of the data and of each other";
constexpr const char* kSecretSlots =
    "each client checks in independently of its data and sends at most one message a run";
constexpr const char* kDummy =
    "an empty slot is filled by the same randomizer on a public record; who was selected never shows";

double count_of(ClientCount clients) { return static_cast<double>(clients.value()); }

std::vector<std::string> with_mechanism(const Mechanism& mechanism, std::vector<std::string> assumptions) {
  add_assumptions(mechanism, assumptions);
  return assumptions;
}

// Wraps a curve object as the function that a RoundBound holds.
template <typename Curve>
DeltaCurve curve_of(Curve curve) {
  const auto shared = std::make_shared<const Curve>(std::move(curve));
  return [shared](double epsilon) { return shared->delta(epsilon); };
}

bool summable(const Mechanism& mechanism) { return pure_epsilon0(mechanism).value_or(0) <= kLargestEpsilon0; }

// The least rate of a client's coin; 1 where there are no coins.
double least_rate(const Participation& participation) {
  return std::visit(
      [](const auto& p) {
        if constexpr (requires { p.least; }) {
          return p.least.value_or(p.rate).value();
        } else {
          return 1.0;
        }
      },
      participation);
}

bool unequal(const std::optional<Rate>& least, Rate most) { return least && least->value() < most.value(); }
double least_of(const std::optional<Rate>& least, Rate most) { return least.value_or(most).value(); }

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

RoundBound class_c(const Mechanism& mechanism, std::vector<std::string> assumptions, ClassCCurve curve) {
  assumptions.push_back(
      "one round at a time: not inside a slot protocol, where later rounds see earlier ones");
  return {.id = "class-c",
          .citation =
              "the worst types of the others for a sampler between 2q and 2p times one law; "
              "docs/theory/class-c.md",
          .assumptions = with_mechanism(mechanism, std::move(assumptions)),
          .delta = curve_of(std::move(curve))};
}

// Clients of unequal rates as one data set: the victim has the largest rate, and the others, who all
// hold her alternative record, have the smallest. The randomizer is binary randomized response, whose
// curves every member of class C attains.
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

void add_third_symbol(const Mechanism& mechanism, const KRRShape& shape, Applicable& list) {
  if (const auto* response = std::get_if<KRandomizedResponse>(&mechanism); response && summable(mechanism)) {
    for (RoundPair& pair : k_rr_pairs(*response, shape)) {
      list.lowers.push_back(std::move(pair));
    }
  }
}

// --- everybody reports ----------------------------------------------------------------------------

void cover(const Mechanism& mechanism, const Shuffle& p, Applicable& list) {
  const double n = count_of(p.clients);
  const auto* gaussian = std::get_if<GaussianLocal>(&mechanism);
  if (gaussian != nullptr) {
    const double mu = gaussian->mu();
    list.lowers.push_back(gaussian_shuffle_pair(p.clients.value(), mu));
    // Clipped records lie within 1/sigma of the origin. By Jung's theorem, records pairwise within mu
    // also lie in a ball of radius mu / sqrt 2. The smaller radius is used.
    const double radius =
        numerics::larger(mu / 2, numerics::smaller(1 / gaussian->sigma, mu / std::sqrt(2.0) * (1 + 1e-15)));
    if (std::optional<RoundBound> star = gaussian_shuffle_bound(p.clients.value(), mu, radius)) {
      add_assumptions(mechanism, star->assumptions);
      list.uppers.push_back(std::move(*star));
    }
  } else {
    list.lowers.push_back(homogeneous(mechanism, {n, n, 1}));
  }
  add_third_symbol(mechanism, {n, n, 1}, list);
  if (!summable(mechanism)) {
    list.missing = fmt::format("a plain shuffle is not computed for epsilon0 above {}", kLargestEpsilon0);
    return;
  }
  if (in_class_c(mechanism)) {
    list.uppers.push_back(
        {.id = "class-c-pool",
         .citation = "the pool of displaceable messages of a sampler between 2q and 2p times "
                     "one law; docs/theory/class-c-pool.md",
         .assumptions = with_mechanism(
             mechanism, {fmt::format("{} honest clients, all of them reporting", p.clients.value())}),
         .delta = curve_of(ClassCPoolCurve(pure_epsilon0(mechanism).value(), n, 1))});
  }
  for (RoundBound& bound : plain_shuffle_bounds(mechanism, n)) {
    list.uppers.push_back(std::move(bound));
  }
  if (list.uppers.empty()) {
    list.missing =
        gaussian != nullptr
            ? StarPool::why_not(gaussian->mu())
            : "no theorem for this randomizer when everybody reports: a coin of rate 1 - 50/n is enough";
  }
}

// --- a fixed subset -------------------------------------------------------------------------------

void cover(const Mechanism& mechanism, const FixedSubset& p, Applicable& list) {
  if (p.subset == p.clients.value()) {
    return cover(mechanism, Shuffle{p.clients}, list);
  }
  const double n = count_of(p.clients), k = static_cast<double>(p.subset);
  if (in_class_c(mechanism) && summable(mechanism)) {
    list.uppers.push_back(
        class_c(mechanism,
                {"the subset is uniform, independent of the data, and secret from the server",
                 fmt::format("{} honest clients, exactly {} of them reporting", p.clients.value(), p.subset)},
                ClassCCurve::subset(pure_epsilon0(mechanism).value(), n, k)));
  }
  const auto sum = std::make_shared<const ReportingSum>(mechanism);
  const bool two_types = add_two_types_of_subset(mechanism, sum, n, k, list.uppers);
  list.uppers.push_back(
      {.id = "subset-swap",
       .citation = "swap theorem for a fixed-size secret subset, profile-only form; docs/theory/subset.md",
       .assumptions = with_mechanism(
           mechanism,
           {"the subset is uniform, independent of the data, and secret from the server",
            fmt::format("{} honest clients, exactly {} of them reporting", p.clients.value(), p.subset)}),
       .delta = curve_of(SubsetCurve(*sum, n, k)),
       .is_dominated = two_types || (in_class_c(mechanism) && summable(mechanism))});
  list.lowers.push_back(homogeneous(mechanism, {n, k, 1}));
  add_third_symbol(mechanism, {n, k, 1}, list);
}

// --- shuffled check-in ----------------------------------------------------------------------------

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
                    number_text(1 - p.rate.value())));
    list.uppers.push_back(std::move(bound));
  }
}

void cover(const Mechanism& mechanism, const ShuffledCheckIn& p, Applicable& list) {
  const double n = count_of(p.clients);
  if (unequal(p.least, p.rate)) {
    list.lowers.push_back(homogeneous(mechanism, {n, n, p.rate.value()}));  // all of them at the largest rate
    const double lo = p.least->value(), hi = p.rate.value();
    const std::vector<std::string> assumptions = {
        kSecretCoins, fmt::format("{} honest clients, each at an effective rate in [{}, {}]",
                                  p.clients.value(), number_text(lo), number_text(hi))};
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
    list.uppers.push_back(
        class_c(mechanism,
                {kSecretCoins, fmt::format("{} honest clients, each at effective rate {}", p.clients.value(),
                                           number_text(p.rate.value()))},
                ClassCCurve::check_in(pure_epsilon0(mechanism).value(), n, p.rate.value())));
  }
  const auto sum = std::make_shared<const ReportingSum>(mechanism);
  const bool two_types = add_two_types_of_check_in(mechanism, sum, n, p.rate.value(), list.uppers);
  list.uppers.push_back(
      {.id = "swap-profile",
       .citation = "swap theorem for shuffled check-in, profile-only form; docs/theory/profile-only.md",
       .assumptions = with_mechanism(
           mechanism, {kSecretCoins, fmt::format("{} honest clients, each at effective rate {}",
                                                 p.clients.value(), number_text(p.rate.value()))}),
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

// --- random check-ins -----------------------------------------------------------------------------

void cover_averaged(const Mechanism& mechanism, const RandomCheckIn& p, Applicable& list) {
  const double n = count_of(p.clients), hi = p.rate.value(), lo = least_of(p.least, p.rate);
  list.lowers.push_back(homogeneous(mechanism, {n, n, hi}));
  if (lo < hi) add_unequal_pair(mechanism, n, lo, hi, list);
  if (hi >= 1) {
    const std::optional<double> epsilon0 = pure_epsilon0(mechanism);
    if (!epsilon0 || lo < 1 || !summable(mechanism)) {
      list.missing =
          "no theorem for averaged updates when clients may check in for certain, unless all do and the "
          "randomizer "
          "is epsilon0-LDP: a rate of 1 - 50/n is enough";
      return;
    }
    list.uppers.push_back(
        {.id = "adaptive-blanket",
         .citation =
             "privacy blanket for messages in random order, each randomizer chosen after those before it; "
             "docs/theory/adaptive-shuffle.md",
         .assumptions = with_mechanism(
             mechanism,
             {kSecretSlots, fmt::format("{} honest clients, all with the same law of slots, all taking part",
                                        p.clients.value())}),
         .delta = [n, e0 = *epsilon0](double epsilon) { return pure_blanket_delta(n, e0, epsilon); }});
    return;
  }
  list.uppers.push_back(
      {.id = "slot-averaged-swap",
       .citation = "swap theorem for averaged random check-ins, profile-only form; docs/theory/slots.md",
       .assumptions = with_mechanism(
           mechanism,
           {kSecretSlots,
            fmt::format("{} honest clients, all with the same law of slots, whose choices are secret",
                        p.clients.value())}),
       .delta = curve_of(averaged_slots(ReportingSum(mechanism), n, lo, hi))});
}

void cover(const Mechanism& mechanism, const RandomCheckIn& p, Applicable& list) {
  if (p.kind == RandomCheckIn::Kind::averaged) {
    return cover_averaged(mechanism, p, list);
  }
  const double m = static_cast<double>(p.slots), others = count_of(p.clients) - 1, hi = p.rate.value();
  const ReportingSum sum(mechanism);
  RoundBound alone{
      .id = "slot-swap",
      .citation = "random check-ins, whatever the others do, profile-only form; docs/theory/slots.md",
      .assumptions = with_mechanism(
          mechanism, {kSecretSlots, kDummy,
                      "the other slots' messages come from honest clients, or are honest dummies"}),
      .delta = curve_of(SlotCurve(sum, m, hi))};
  if (p.kind == RandomCheckIn::Kind::sliding) {
    list.uppers.push_back(std::move(alone));
    if (others + 1 >= 2 * m) {  // then all slots of some client are used, as at most m clients share each
      list.lowers.push_back(homogeneous(mechanism, slot_pair_shape(m, hi, m - 1, hi)));
    }
    return;
  }
  list.lowers.push_back(homogeneous(mechanism, slot_pair_shape(m, hi, others, hi)));
  if (others >= 1) {
    list.uppers.push_back(
        {.id = "slot-swap-counted",
         .citation = "random check-ins averaged over the others' check-ins; docs/theory/slots.md",
         .assumptions = with_mechanism(
             mechanism,
             {kSecretSlots, kDummy,
              fmt::format("{} other honest clients check in secretly at uniform slots, and the server "
                          "picks one of those present uniformly",
                          p.clients.value() - 1)}),
         .delta = curve_of(CountedSlotCurve(sum, m, hi, others, least_of(p.least, p.rate)))});
    alone.is_dominated = true;
  }
  list.uppers.push_back(std::move(alone));
}

// --- only the sum is seen -------------------------------------------------------------------------

// Keeps what holds of bounds for the shuffled messages when only their sum and number are seen: the
// upper bounds, and the lower bounds if the sum shows the messages' histogram. It shows it for one-hot
// symbols and for signs, that is for binary randomized response and for every sphere or coordinate
// sampler in one dimension.
void keep_lowers_of_sums(const Mechanism& mechanism, Applicable& list) {
  const bool histogram =
      !std::holds_alternative<GaussianLocal>(mechanism) && !std::holds_alternative<LaplaceLocal>(mechanism);
  if (!histogram) list.lowers.clear();
  for (RoundPair& pair : list.lowers) {
    pair.assumptions.emplace_back(
        "attained where the sum and the number of messages show how many there are of each: symbols, or "
        "signs in "
        "one dimension");
  }
}

void add(GaussianSum sum, Applicable& list) {
  for (RoundBound& bound : sum.uppers) list.uppers.push_back(std::move(bound));
  list.lowers.push_back(std::move(sum.lower));
}

void cover(const Mechanism& mechanism, const AggregatedCheckIn& p, Applicable& list) {
  const auto* gaussian = std::get_if<GaussianLocal>(&mechanism);
  if (gaussian == nullptr) {
    // The sum is a function of the shuffled messages, and so is the decision to destroy it.
    cover(mechanism, ShuffledCheckIn{p.clients, p.rate, p.least}, list);
    keep_lowers_of_sums(mechanism, list);
    if (p.minimum > 1) list.lowers.clear();
    return;
  }
  add(gaussian_sum(*gaussian, p), list);
}

// A shuffle, subset or check-in whose messages are added up before anybody sees them.
void add_sums(const Mechanism& mechanism, const Participation& participation, Applicable& list) {
  keep_lowers_of_sums(mechanism, list);
  const auto* gaussian = std::get_if<GaussianLocal>(&mechanism);
  if (gaussian == nullptr) return;
  if (const auto* p = std::get_if<ShuffledCheckIn>(&participation)) {
    add(gaussian_sum(*gaussian, AggregatedCheckIn{p->clients, p->rate, 1, p->least}), list);
  } else if (const auto* everybody = std::get_if<Shuffle>(&participation)) {
    add(gaussian_sum(*gaussian, AggregatedCheckIn{everybody->clients, Rate::of(1)}), list);
  } else if (const auto* subset = std::get_if<FixedSubset>(&participation)) {
    add(gaussian_sum(*gaussian, *subset), list);
  }
}

// Ranks the views: at a larger rank, the adversary sees more.
int seen_in(View view) {
  switch (view) {
    case View::shuffler_colludes:
      return 3;
    case View::shuffler_honest:
      return 2;
    case View::sum_only:
      return 1;
    case View::server_trusted:
      break;
  }
  return 0;
}

}  // namespace

Applicable applicable(const Mechanism& mechanism, const Participation& participation,
                      std::optional<View> asked) {
  validate(mechanism);
  validate(participation);
  const View own = own_view(participation), view = asked.value_or(own);
  if (seen_in(view) > seen_in(own) && view != View::shuffler_colludes) {
    throw Error(ErrorCode::uncovered, "view", name_of(view),
                fmt::format("{}, shuffler-colludes", name_of(own)),
                fmt::format("no theorem covers {} in this view", name_of(participation)));
  }
  Applicable list;
  if (least_rate(participation) < kLeastRate) {
    list.missing = fmt::format("amplification is not computed for effective rates below {}", kLeastRate);
    return list;
  }
  std::visit([&](const auto& p) { cover(mechanism, p, list); }, participation);
  if (view == View::shuffler_colludes) list.uppers.clear();
  if (view == View::sum_only && own == View::shuffler_honest) add_sums(mechanism, participation, list);
  // Every bound is capped by what the message gives away by itself, times the probability that it is
  // sent: the message is a release of its own, and the divergence is convex. A delta too small for a
  // double is still not 0.
  const double rate = message_rate(participation).value();
  for (RoundBound& bound : list.uppers) {
    bound.delta = [delta = std::move(bound.delta), mechanism, rate](double epsilon) {
      constexpr double kLeast = std::numeric_limits<double>::min();
      const double local =
          numerics::as_upper_bound(rate * local_divergence(mechanism, epsilon) * (1 + 4e-16));
      const numerics::Enclosure own_bound = delta(epsilon);
      double upper = numerics::as_upper_bound(own_bound.upper, local);
      if (local > 0) upper = numerics::larger(upper, kLeast);
      return numerics::Enclosure{numerics::as_lower_bound(own_bound.lower, upper), upper};
    };
  }
  return list;
}

}  // namespace muster::accounting
