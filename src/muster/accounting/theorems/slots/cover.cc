#include "muster/accounting/theorems/cover.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "muster/accounting/theorems/entry.h"
#include "muster/accounting/theorems/everyone/blanket.h"
#include "muster/accounting/theorems/exact/cover.h"
#include "muster/accounting/theorems/slots/slots.h"

namespace muster::accounting {
namespace {

constexpr const char* kSecretSlots =
    "each client checks in independently of its data and sends at most one message a run";
constexpr const char* kDummy =
    "an empty slot is filled by the same randomizer on a public record; who was selected never shows";

double least_of(const std::optional<Rate>& least, Rate most) { return least.value_or(most).value(); }

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

}  // namespace

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

}  // namespace muster::accounting
