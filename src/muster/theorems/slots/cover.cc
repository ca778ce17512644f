#include "muster/theorems/cover.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "muster/theorems/entry.h"
#include "muster/theorems/everyone/blanket.h"
#include "muster/theorems/exact/cover.h"
#include "muster/theorems/slots/slots.h"

namespace muster::accounting {
namespace {

constexpr const char* kSecretSlots =
    "each client checks in independently of its data and sends at most one message a run";
constexpr const char* kDummy =
    "an empty slot is filled by the same randomizer on a public record; who was selected never shows";

// --- everybody at a slot is averaged --------------------------------------------------------------

// Returns the bound for averaged updates in which all clients take part with certainty.
RoundBound adaptive_blanket(const Mechanism& mechanism, double epsilon0, ClientCount clients) {
  return {.id = "adaptive-blanket",
          .validity = Validity::proven,
          .citation =
              "privacy blanket for messages in random order, each randomizer chosen after those before it; "
              "docs/theory/adaptive-shuffle.md",
          .assumptions = with_mechanism(
              mechanism,
              {kSecretSlots, fmt::format("{} honest clients, all with the same law of slots, all taking part",
                                         clients.value())}),
          .delta = [n = count_of(clients), epsilon0](double epsilon) {
            return of_bound(pure_blanket_delta(n, epsilon0, epsilon));
          }};
}

void cover_averaged(const Mechanism& mechanism, const RandomCheckIn& p, Applicable& list) {
  const double n = count_of(p.clients()), hi = p.rate().value(), lo = min_message_rate(p).value();
  add_homogeneous_pair(mechanism, {n, n, hi}, list);
  if (lo < hi) add_unequal_rates_pair(mechanism, n, lo, hi, list);
  if (hi < 1) {
    list.uppers.push_back(
        {.id = "slot-averaged-swap",
         .validity = Validity::proven,
         .citation = "swap theorem for averaged random check-ins, profile-only form; docs/theory/slots.md",
         .assumptions = with_mechanism(
             mechanism,
             {kSecretSlots,
              fmt::format("{} honest clients, all with the same law of slots, whose choices are secret",
                          p.clients().value())}),
         .delta = curve_of(averaged_slots(ReportingSum(mechanism), n, lo, hi))});
    return;
  }
  const std::optional<double> epsilon0 = pure_epsilon0(mechanism);
  if (epsilon0 && lo >= 1 && summable(mechanism)) {
    list.uppers.push_back(adaptive_blanket(mechanism, *epsilon0, p.clients()));
  } else {
    list.missing =
        "no theorem for averaged updates when clients may check in for certain, unless all do and the "
        "randomizer is epsilon0-LDP: a rate of 1 - 50/n is enough";
  }
}

// --- one client a slot ----------------------------------------------------------------------------

// Returns the bound that holds whatever the other clients do.
RoundBound slot_swap(const Mechanism& mechanism, const RandomCheckIn& p, const ReportingSum& sum) {
  return {.id = "slot-swap",
          .validity = Validity::proven,
          .citation = "random check-ins, whatever the others do, profile-only form; docs/theory/slots.md",
          .assumptions = with_mechanism(
              mechanism, {kSecretSlots, kDummy,
                          "the other slots' messages come from honest clients, or are honest dummies"}),
          .delta = curve_of(slot_curve(sum, static_cast<double>(p.slots()), p.rate().value()))};
}

void cover_sliding(const Mechanism& mechanism, const RandomCheckIn& p, Applicable& list) {
  const double m = static_cast<double>(p.slots()), rate = p.rate().value();
  list.uppers.push_back(slot_swap(mechanism, p, ReportingSum(mechanism)));
  // With at least 2 m clients, there is a client whose m slots all belong to the run. At each of these slots,
  // at most m - 1 others may be present, because windows start one slot after the other.
  if (count_of(p.clients()) >= 2 * m) {
    add_homogeneous_pair(mechanism, slot_pair_shape(m, rate, m - 1, rate), list);
  }
}

void cover_fixed(const Mechanism& mechanism, const RandomCheckIn& p, Applicable& list) {
  const double m = static_cast<double>(p.slots()), others = count_of(p.clients()) - 1,
               rate = p.rate().value();
  const ReportingSum sum(mechanism);
  RoundBound alone = slot_swap(mechanism, p, sum);
  add_homogeneous_pair(mechanism, slot_pair_shape(m, rate, others, rate), list);
  if (others >= 1) {
    list.uppers.push_back(
        {.id = "slot-swap-counted",
         .validity = Validity::proven,
         .citation = "random check-ins averaged over the others' check-ins; docs/theory/slots.md",
         .assumptions = with_mechanism(
             mechanism,
             {kSecretSlots, kDummy,
              fmt::format("{} other honest clients check in secretly at uniform slots, and the server "
                          "picks one of those present uniformly",
                          p.clients().value() - 1)}),
         .delta = curve_of(CountedSlotCurve(sum, m, rate, others, min_message_rate(p).value()))});
    alone.is_dominated = true;
  }
  list.uppers.push_back(std::move(alone));
}

}  // namespace

void cover(const Mechanism& mechanism, const RandomCheckIn& p, Applicable& list) {
  switch (p.kind()) {
    case RandomCheckIn::Kind::fixed:
      return cover_fixed(mechanism, p, list);
    case RandomCheckIn::Kind::averaged:
      return cover_averaged(mechanism, p, list);
    case RandomCheckIn::Kind::sliding:
      return cover_sliding(mechanism, p, list);
  }
}

}  // namespace muster::accounting
