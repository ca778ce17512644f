#include "tests/reference/largest_message.h"

#include <algorithm>
#include <cmath>

namespace muster::reference {

Pair largest_message_pair(const Experiment& e, double tail, bool swapped) {
  using Shape = Experiment::Shape;
  Pair pair;
  if (e.randomizer.kind != Randomizer::Kind::gaussian) return pair;
  const Real mu = e.randomizer.mu(), one(1.0);
  const bool places = e.shape != Shape::everybody && e.shape != Shape::coins;
  const Places seen = places ? places_of(e, true) : Places{e.clients, one};
  const Real others(seen.messages - 1), rate = e.shape == Shape::coins ? e.rate() : one;
  // Returns ln P(no message lies beyond t); `own` is the probability that the victim's message does.
  const auto none_beyond = [&](const Real& tail_of_others, const Real& own) {
    const Real rest = seen.messages > 1 ? others * log1p(-(rate * tail_of_others)) : Real(0.0);
    return rest + log1p(-own);
  };
  const auto beyond = [&](const Real& t, bool with) {  // 1 - F
    const Real of_others = upper_normal(t), hers = upper_normal(t - mu);
    const Real shown = places ? seen.victim * hers + (one - seen.victim) * of_others : rate * hers;
    return -expm1(none_beyond(of_others, with ? shown : rate * of_others));
  };
  constexpr int kCells = 700;
  const double reach = std::min(38.0, std::sqrt(-2 * std::log(std::max(tail, 1e-300))) + 2);
  const double low = -3, high = mu.middle() + reach;
  Real p = one, q = one;
  for (int i = 0; i <= kCells; ++i) {
    const Real t(low + (high - low) * i / kCells);
    const Real next_p = beyond(t, true), next_q = beyond(t, false);
    const Real in_p = p - next_p, in_q = q - next_q;
    const Outcome o = swapped ? Outcome{in_q.below(), in_p.above()} : Outcome{in_p.below(), in_q.above()};
    if (o.p > 0 && o.q > 0) pair.push_back(o);
    p = next_p;
    q = next_q;
  }
  return pair;
}

}  // namespace muster::reference
