#include "tests/reference/reference.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/reference/counted_bits.h"
#include "tests/reference/enumeration.h"
#include "tests/reference/largest_message.h"
#include "tests/reference/local.h"
#include "tests/reference/mean_law.h"
#include "tests/reference/noisy_sums.h"
#include "tests/reference/theorem.h"

namespace muster::reference {
namespace {

using Kind = Randomizer::Kind;
using Seen = Experiment::Seen;
using Shape = Experiment::Shape;

// From this mu on, likelihood ratios of normal laws differ too much for one lattice.
constexpr double kMaxHeavy = 1.6;
// The most rounds for which mean_law.h is used, because its rounding error grows with clients and rounds.
constexpr double kMaxRounds = 1e6;
constexpr double kMaxHeavyEpsilon0 = 9;  // the same limit for ratios up to e^epsilon0

bool sees_messages(const Experiment& e) {
  // For randomized response, the sum and the number of messages give the count of each symbol, unless
  // rounds are destroyed.
  return e.seen == Seen::messages ||
         (e.seen == Seen::sums && e.randomizer.kind == Kind::response && e.minimum <= 1);
}

long double middle_of(const Real& x) { return (x.below() + x.above()) / 2; }

// --- one bit of each message, counted ---------------------------------------------------------------------

std::vector<CountedBits> counted(const Experiment& e, double epsilon) {
  std::vector<CountedBits> all;
  const Real one(1.0);
  const bool rates = e.shape == Shape::coins;
  const double messages = e.shape == Shape::everybody || rates ? e.clients : places_of(e, false).messages;
  for (const Bit& bit : bits_of(e.randomizer, messages, epsilon)) {
    // First P has the record and Q the alternative. Then P and Q are exchanged and the bit is inverted. The
    // others all hold the record, or all the alternative.
    for (const Bit& seen : {bit, Bit{bit.not_b, bit.b, bit.not_a, bit.a}}) {
      for (const bool others_alike : {true, false}) {
        const Real& c = others_alike ? seen.b : seen.a;
        const Real& not_c = others_alike ? seen.not_b : seen.not_a;
        if (rates || e.shape == Shape::everybody) {
          const Real g = rates ? e.rate() : one, away = rates ? e.absence() : Real(0.0);
          const auto add = [&](const Real& others, const Real& others_away) {
            all.push_back({e.clients - 1, others * c, others * not_c + others_away, g * seen.a,
                           g * seen.not_a + away, g * seen.b, g * seen.not_b + away});
          };
          add(g, away);
          if (rates && e.least_coin < e.coin) add(e.least_rate(), one - e.least_rate());
          continue;
        }
        const Places places = places_of(e, true);
        const Real &w = places.victim, rest = one - w;
        all.push_back({places.messages - 1, c, not_c, w * seen.a + rest * c, w * seen.not_a + rest * not_c,
                       w * seen.b + rest * c, w * seen.not_b + rest * not_c});
      }
    }
  }
  return all;
}

// --- the exact likelihood ratio ----------------------------------------------------------------------------

bool has_light_ratios(const Randomizer& r) {
  return r.kind == Kind::gaussian ? r.mu().middle() < kMaxHeavy : r.epsilon0 < kMaxHeavyEpsilon0;
}

Pair mean_pair(const Experiment& e, double tail, bool swapped) {
  if (!has_light_ratios(e.randomizer)) return {};
  const double reach = std::min(36.0, std::sqrt(-2 * std::log(std::max(tail / e.clients, 1e-280))) + 1);
  const Pair message = message_of(e.randomizer, reach);
  MeanLaw law{e.clients, 1, 0, 1 / static_cast<long double>(e.clients)};
  if (e.shape == Shape::coins) {
    law.presence = middle_of(e.rate());
    law.absence = middle_of(e.absence());
  } else if (e.shape != Shape::everybody) {
    const Places places = places_of(e, true);
    law.terms = places.messages;
    law.scale = middle_of(places.victim / Real(places.messages));
  }
  return pair_of(message, law, tail, swapped);
}

Pair own_message_pair(const Experiment& e, double tail) {
  const double reach = std::min(36.0, std::sqrt(-2 * std::log(std::max(tail, 1e-280))) + 1);
  const bool coins = e.shape == Shape::coins;
  const Places places = coins || e.shape == Shape::everybody ? Places{1, e.rate()} : places_of(e, true);
  const Real chance = e.shape == Shape::everybody ? Real(1.0) : places.victim;
  Pair pair;
  for (const Outcome& o : message_of(e.randomizer, reach)) {
    pair.push_back({chance.below() * o.p * (1 - 0x1p-60L), chance.above() * o.q * (1 + 0x1p-60L)});
  }
  const Real away = e.shape == Shape::everybody ? Real(0.0) : coins ? e.absence() : Real(1.0) - chance;
  if (away.surely_positive()) pair.push_back({away.below(), away.above()});
  return pair;
}

// --- one round and several ---------------------------------------------------------------------------------

long double one_round(const Experiment& e, double epsilon, double aim) {
  long double best = 0;
  const auto keep = [&](long double value) { best = std::max(best, value); };
  if (e.seen == Seen::own_message) {
    const bool everybody = e.shape == Shape::everybody;
    const Real chance = everybody                 ? Real(1.0)
                        : e.shape == Shape::coins ? e.rate()
                                                  : places_of(e, true).victim;
    if (e.randomizer.kind == Kind::laplace || e.randomizer.symbols > 2)
      return delta_of(own_message_pair(e, aim * 1e-6), epsilon);
    return chance.below() * message_delta(e.randomizer, epsilon).below;
  }
  if (e.seen == Seen::sums && e.randomizer.kind == Kind::gaussian) return sums_delta(e, epsilon).below;
  for (const Pair& pair : enumerated_pairs(e)) keep(delta_of(pair, epsilon));
  if (!sees_messages(e)) return best;
  for (const CountedBits& bits : counted(e, epsilon)) keep(delta_of(bits, epsilon));
  for (const bool swapped : {false, true}) keep(delta_of(mean_pair(e, aim * 1e-4, swapped), epsilon));
  for (const bool swapped : {false, true})
    keep(delta_of(largest_message_pair(e, aim * 1e-4, swapped), epsilon));
  return best;
}

// Composes the pairs that `make` returns for the stages. Returns 0 if one of these pairs is empty.
long double composed(const std::vector<Repetition>& stages, double epsilon, double tail,
                     const std::function<Pair(const Experiment&)>& make) {
  std::vector<Pair> pairs;
  std::vector<Repeated> all;
  pairs.reserve(stages.size());
  for (const Repetition& stage : stages) {
    pairs.push_back(make(stage.experiment));
    if (pairs.back().empty()) return 0;
    all.push_back({&pairs.back(), stage.rounds});
  }
  return composed_delta(all, epsilon, tail);
}

}  // namespace

long double certified_delta(const std::vector<Repetition>& stages, double epsilon, double aim) {
  const double tail = std::max(1e-290, aim * 1e-3);
  long double best = 0;
  double rounds = 0;
  for (const Repetition& stage : stages) {
    rounds += stage.rounds;
    // All stages together cost at least as much as one round of any stage.
    best = std::max(best, one_round(stage.experiment, epsilon, aim));
  }
  if (rounds <= 1) return best;
  const double each = tail / rounds;
  const auto keep = [&](const std::function<Pair(const Experiment&)>& make) {
    best = std::max(best, composed(stages, epsilon, tail, make));
  };
  const Experiment& first = stages.front().experiment;
  if (first.seen == Seen::own_message) {
    // In a subset or in slots, the victim's message is seen only with some probability.
    const bool certain =
        stages.size() == 1 && (first.shape == Shape::everybody ||
                               (first.shape == Shape::coins && !first.absence().surely_positive()));
    if (certain && first.randomizer.kind == Kind::gaussian) {
      return std::max(best, gaussian_delta(first.randomizer.mu() * sqrt(Real(rounds)), Real(epsilon)).below);
    }
    keep([&](const Experiment& e) { return own_message_pair(e, each); });
    return best;
  }
  if (first.seen == Seen::sums && first.randomizer.kind == Kind::gaussian) {
    for (const bool swapped : {false, true})
      keep([&](const Experiment& e) { return sums_pair(e, each, swapped); });
    return best;
  }
  if (!sees_messages(first)) return best;
  const bool light = has_light_ratios(first.randomizer) && rounds <= kMaxRounds;
  if (light) {
    for (const bool swapped : {false, true})
      keep([&](const Experiment& e) { return mean_pair(e, each, swapped); });
    if (best > 0) return best;
  }
  for (const bool swapped : {false, true}) {
    keep([&](const Experiment& e) { return largest_message_pair(e, each, swapped); });
  }
  // Takes the bit with the largest divergence in one round, at epsilon / sqrt(rounds).
  const double share = epsilon / std::sqrt(rounds);
  std::size_t chosen = 0;
  long double most = -1;
  const std::vector<CountedBits> bits = counted(first, share);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const long double shown = delta_of(bits[i], share);
    if (shown > most) most = shown, chosen = i;
  }
  for (const bool swapped : {false, true}) {
    keep([&](const Experiment& e) { return pair_of(counted(e, share).at(chosen), each, swapped); });
  }
  return best;
}

}  // namespace muster::reference
