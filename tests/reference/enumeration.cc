#include "tests/reference/enumeration.h"

#include <algorithm>
#include <map>

namespace muster::reference {
namespace {

using Histogram = std::vector<int>;  // the number of messages in each cell
using Law = std::map<Histogram, Real>;

// Returns the probability of each cell under each record: record 0
// is the victim's, 1 her alternative, 2 (if there is one) another.
std::vector<std::vector<Real>> records_of(const Randomizer& r) {
  if (r.kind == Randomizer::Kind::response) {
    const Real all = Real(1.0) + Real(r.symbols - 1) * exp(-Real(r.epsilon0));
    const Real own = Real(1.0) / all, other = exp(-Real(r.epsilon0)) / all;
    if (r.symbols == 2) return {{own, other}, {other, own}};
    const Real rest = Real(r.symbols - 3) * other;
    if (r.symbols == 3) return {{own, other, other}, {other, own, other}, {other, other, own}};
    return {{own, other, other, rest}, {other, own, other, rest}, {other, other, own, rest}};
  }
  std::vector<std::vector<Real>> records;
  // Three thresholds make four cells. For each record, the masses of the cells are differences of upper
  // tails.
  for (int record = 0; record < 3; ++record) {
    std::vector<Real> cells;
    Real before(1.0);
    for (int threshold = 0; threshold < 3; ++threshold) {
      Real tail;
      if (r.kind == Randomizer::Kind::gaussian) {
        const double at[] = {0.5, -0.5, 0.0};  // where the records lie, in units of mu
        tail =
            upper_normal(Real(threshold - 1) * (r.mu() / Real(2.0) + Real(0.7)) - r.mu() * Real(at[record]));
      } else {
        const double at[] = {1.0, 0.0, 0.5};
        const Real distance = Real(0.5 * threshold) - Real(at[record]);
        const Real half_tail =
            exp(-Real(r.epsilon0) * (distance.surely_negative() ? -distance : distance)) / Real(2.0);
        tail = distance.surely_negative() ? Real(1.0) - half_tail : half_tail;
      }
      cells.push_back(before - tail);
      before = tail;
    }
    cells.push_back(before);
    records.push_back(cells);
  }
  return records;
}

void add(Law& law, const Histogram& at, const Real& mass) {
  const auto [entry, fresh] = law.try_emplace(at, mass);
  if (!fresh) entry->second = entry->second + mass;
}

// Adds one client, who is absent with weight `absent`, and present with weight `present` times the law
// of a message.
Law with_client(const Law& before, const std::vector<Real>& law, const Real& present, const Real& absent) {
  Law after;
  for (const auto& [histogram, mass] : before) {
    if (absent.surely_positive()) add(after, histogram, mass * absent);
    for (std::size_t cell = 0; cell < law.size(); ++cell) {
      Histogram next = histogram;
      ++next[cell];
      add(after, next, mass * present * law[cell]);
    }
  }
  return after;
}

// Returns the outcomes with `least` to `most` messages, their masses divided by `weight`.
Pair pair_of(const Law& p, const Law& q, double least, double most, const Real& weight) {
  Pair pair;
  for (const auto& [histogram, mass] : p) {
    int total = 0;
    for (const int count : histogram) total += count;
    if (total < least || total > most) continue;
    pair.push_back({(mass / weight).below(), (q.at(histogram) / weight).above()});
  }
  return pair;
}

}  // namespace

std::vector<Pair> enumerated_pairs(const Experiment& e) {
  using Shape = Experiment::Shape;
  std::vector<Pair> pairs;
  // For randomized response, the sum and the number of messages together give the count of each symbol.
  const bool seen = e.seen == Experiment::Seen::messages ||
                    (e.seen == Experiment::Seen::sums && e.randomizer.kind == Randomizer::Kind::response);
  const bool known = e.shape == Shape::everybody || e.shape == Shape::subset || e.shape == Shape::coins;
  if (!seen || !known) return pairs;
  const auto records = records_of(e.randomizer);
  const int others = static_cast<int>(e.clients) - 1;
  if (e.clients > (records.size() == 2 ? kMaxEnumerated : 5)) return pairs;
  const bool drawn = e.shape == Shape::subset, coins = e.shape == Shape::coins;
  const Real one(1.0), none(0.0);
  const Real present = coins ? e.rate() : one, absent = coins ? e.absence() : drawn ? one : none;
  const double least = drawn ? e.subset : e.minimum > 1 ? e.minimum : 0, most = drawn ? e.subset : e.clients;
  Real weight(1.0);
  if (drawn) {
    for (int i = 0; i < static_cast<int>(e.subset); ++i) weight = weight * Real(e.clients - i) / Real(i + 1);
  }
  const int kinds = static_cast<int>(records.size());
  const std::vector<Real> others_rates = coins && e.least_coin < e.coin
                                             ? std::vector<Real>{present, e.least_rate()}
                                             : std::vector<Real>{present};
  for (const Real& rate : others_rates) {
    const Real away = coins ? one - rate : absent;
    for (int first = 0; first <= others; ++first) {
      for (int third = 0; third <= (kinds == 3 ? others - first : 0); ++third) {
        Law law{{Histogram(records[0].size(), 0), one}};
        for (int i = 0; i < others; ++i) {
          const int record = i < first ? 0 : i < first + third ? 2 : 1;
          law = with_client(law, records[static_cast<std::size_t>(record)], rate, away);
        }
        const Law p = with_client(law, records[0], present, absent),
                  q = with_client(law, records[1], present, absent);
        pairs.push_back(pair_of(p, q, least, most, weight));
        pairs.push_back(pair_of(q, p, least, most, weight));
      }
    }
  }
  return pairs;
}

}  // namespace muster::reference
