#include "muster/describe/participation.h"

#include <fmt/format.h>

#include <cmath>

#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/core/overloaded.h"

namespace muster::accounting {
namespace {

void require(bool ok, const char* key, const std::string& value, const std::string& allowed) {
  if (!ok) {
    throw Error(ErrorCode::plan, Reason::out_of_range, key, value, allowed, "is out of range");
  }
}

// The probability k / n that a subset has a given client, rounded up. n and k are at most 10^12, so doubles
// hold them exactly. A fused multiply-add rounds once, so its sign says whether the quotient was rounded
// down.
Rate share_above(const FixedSubset& p) {
  const auto n = static_cast<double>(p.clients().value()), k = static_cast<double>(p.subset());
  const double nearest = k / n;
  return Rate::of(std::fma(nearest, n, -k) < 0 ? std::nextafter(nearest, 1.0) : nearest);
}

std::string rates(const Participation& participation) {
  const double least = min_message_rate(participation).value(), most = message_rate(participation).value();
  return least < most ? fmt::format("{} to {}", number_text(least), number_text(most)) : number_text(most);
}

std::string each_of(std::uint64_t clients) {
  return clients == 1 ? "1 client," : fmt::format("{} clients, each", clients);
}

}  // namespace

FixedSubset::FixedSubset(ClientCount clients, std::uint64_t subset) : clients_(clients), subset_(subset) {
  require(subset >= 1 && subset <= clients.value(), "participation.subset", fmt::format("{}", subset),
          fmt::format("integer 1..{}", clients.value()));
}

WithRates::WithRates(ClientCount clients, Rate rate, std::optional<Rate> min_rate)
    : clients_(clients), rate_(rate), min_rate_(min_rate) {
  require(!min_rate || min_rate->value() <= rate.value(), "participation.rate",
          min_rate ? fmt::format("{}:{}", number_text(min_rate->value()), number_text(rate.value())) : "",
          "lo <= hi");
}

RandomCheckIn::RandomCheckIn(Kind kind, ClientCount clients, std::uint64_t slots, Rate rate,
                             std::optional<Rate> min_rate)
    : WithRates(clients, rate, min_rate), kind_(kind), slots_(slots) {
  require(slots >= 1, "participation.slots", fmt::format("{}", slots), "integer >= 1");
}

AggregatedCheckIn::AggregatedCheckIn(ClientCount clients, Rate rate, std::uint64_t minimum,
                                     std::optional<Rate> min_rate)
    : WithRates(clients, rate, min_rate), minimum_(minimum) {
  require(minimum >= 1 && minimum <= clients.value(), "participation.minimum", fmt::format("{}", minimum),
          fmt::format("integer 1..{}", clients.value()));
}

const char* name_of(const Participation& participation) {
  return std::visit(
      Overloaded{[](const Shuffle&) { return "shuffle"; }, [](const FixedSubset&) { return "subset"; },
                 [](const ShuffledCheckIn&) { return "shuffled-check-in"; },
                 [](const RandomCheckIn& p) {
                   switch (p.kind()) {
                     case RandomCheckIn::Kind::fixed:
                       return "random-check-in-fixed";
                     case RandomCheckIn::Kind::averaged:
                       return "random-check-in-averaged";
                     case RandomCheckIn::Kind::sliding:
                       break;
                   }
                   return "random-check-in-sliding";
                 },
                 [](const AggregatedCheckIn&) { return "aggregated-check-in"; }},
      participation);
}

std::string describe(const Participation& participation) {
  const std::uint64_t n = clients_of(participation).value();
  return std::visit(
      Overloaded{[&](const Shuffle&) {
                   return n == 1 ? "1 client, reporting in each round"
                                 : fmt::format("{} clients, all reporting in each round", n);
                 },
                 [&](const FixedSubset& p) {
                   return fmt::format("a secret subset of {} of {} reporting in each round", p.subset(),
                                      count_text(n, "client"));
                 },
                 [&](const ShuffledCheckIn& p) {
                   return fmt::format("{} reporting with probability {} in each round", each_of(n), rates(p));
                 },
                 [&](const RandomCheckIn& p) {
                   return fmt::format("{} checking in with probability {} at one of {} of a run", each_of(n),
                                      rates(p), count_text(p.slots(), "slot"));
                 },
                 [&](const AggregatedCheckIn& p) {
                   return fmt::format(
                       "{} adding to the sum of a round with probability {}; fewer than {}: destroyed",
                       each_of(n), rates(p), p.minimum());
                 }},
      participation);
}

View own_view(const Participation& participation) {
  return std::visit(Overloaded{[](const RandomCheckIn&) { return View::server_trusted; },
                               [](const AggregatedCheckIn&) { return View::sum_only; },
                               [](const auto&) { return View::shuffler_honest; }},
                    participation);
}

Rate message_rate(const Participation& participation) {
  return std::visit(
      Overloaded{[](const Shuffle&) { return Rate::of(1); },
                 [](const FixedSubset& p) { return share_above(p); }, [](const auto& p) { return p.rate(); }},
      participation);
}

Rate min_message_rate(const Participation& participation) {
  // Protocols without a rate are listed by name. A new protocol compiles only if it is listed too or has
  // `min_rate`, so its unequal rates cannot be overlooked.
  return std::visit(Overloaded{[&](const Shuffle&) { return message_rate(participation); },
                               [&](const FixedSubset&) { return message_rate(participation); },
                               [](const auto& p) { return p.min_rate().value_or(p.rate()); }},
                    participation);
}

ClientCount clients_of(const Participation& participation) {
  return std::visit([](const auto& p) { return p.clients(); }, participation);
}

}  // namespace muster::accounting
