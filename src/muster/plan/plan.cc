// Computes what follows from a plan's values: how many updates and rounds it has, and the descriptions that
// the accountant charges.
#include "muster/plan/plan.h"

#include <limits>

#include "muster/core/error.h"
#include "muster/plan/randomizer_table.h"

namespace muster::protocols {

bool Plan::checks_in() const { return protocol() != Protocol::shuffle && protocol() != Protocol::subset; }

bool Plan::has_slots() const {
  return protocol() == Protocol::random_check_in_fixed || protocol() == Protocol::random_check_in_averaged ||
         protocol() == Protocol::random_check_in_sliding;
}

std::uint64_t Plan::updates_per_round() const {
  if (protocol() == Protocol::random_check_in_sliding) {
    return slots() <= clients() ? clients() - slots() + 1 : 0;
  }
  return has_slots() ? slots() : 1;
}

std::uint64_t Plan::updates() const {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t each = updates_per_round();
  return each > 0 && rounds() > kMax / each ? kMax : rounds() * each;
}

std::uint64_t Plan::rounds_charged(std::uint64_t done) const {
  const std::uint64_t each = updates_per_round();
  // A plan validated for training never has 0 slots per run. For other plans, charging one round per update
  // is safe.
  if (each == 0) return done;
  return done / each + (done % each == 0 ? 0 : 1);
}

accounting::Mechanism Plan::mechanism() const { return spec_of(randomizer()).description(values_); }

accounting::Participation Plan::participation(std::uint64_t round) const {
  using Kind = accounting::RandomCheckIn::Kind;
  const ClientCount n = ClientCount::of(clients());
  const auto effective = [lost = dropout().at(round)](double coin) { return Rate::effective(coin, lost); };
  std::optional<Rate> min;
  if (min_rate()) {
    // The simulated dropout coin is rounded, so a client may report with a probability a little below the
    // effective rate. The lowest rate that is charged must not be above this probability.
    const double lost = dropout().at(round), exact = effective(*min_rate()).value();
    min = Rate::of(lost > 0 ? exact * (1 - 4 * std::numeric_limits<double>::epsilon()) : exact);
  }
  switch (protocol()) {
    case Protocol::shuffle:
      return accounting::Shuffle{n};
    case Protocol::subset:
      return accounting::FixedSubset{n, subset()};
    case Protocol::shuffled_check_in:
      return accounting::ShuffledCheckIn{n, effective(rate()), min};
    case Protocol::random_check_in_fixed:
      return accounting::RandomCheckIn{Kind::fixed, n, slots(), effective(rate()), min};
    case Protocol::random_check_in_averaged:
      return accounting::RandomCheckIn{Kind::averaged, n, slots(), effective(rate()), min};
    case Protocol::random_check_in_sliding:
      return accounting::RandomCheckIn{Kind::sliding, n, slots(), effective(rate()), min};
    case Protocol::aggregated_check_in:
      return accounting::AggregatedCheckIn{n, effective(rate()), minimum(), min};
  }
  throw Error(ErrorCode::internal, "participation.protocol", "", "", "a protocol without a description");
}

std::vector<accounting::Stage> Plan::stages() const {
  std::vector<std::uint64_t> begins;
  for (const auto& [round, lost] : dropout().steps()) {
    if (round == 1 || (round <= rounds() && lost != dropout().at(round - 1))) begins.push_back(round);
  }
  std::vector<accounting::Stage> stages;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::uint64_t end = i + 1 < begins.size() ? begins[i + 1] : rounds() + 1;
    stages.push_back({participation(begins[i]), end - begins[i]});
  }
  return stages;
}

}  // namespace muster::protocols
