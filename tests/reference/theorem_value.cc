#include "tests/reference/theorem_value.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "tests/reference/loss_sum.h"
#include "tests/reference/theorem.h"

namespace muster::reference {
namespace {

using Kind = Randomizer::Kind;
using Shape = Experiment::Shape;

constexpr int kLines = 70;

// f falls. At most the last x at which it is still `aim`; near `high` if at all.
double last_above(const std::function<long double(double)>& f, long double aim, double high) {
  if (f(high) >= aim) return high;
  double low = 0;
  for (double step = 1e-3; step < 1; step *= 4) {
    const double x = high * (1 - step);
    if (f(x) >= aim) {
      low = x;
      break;
    }
    high = x;
  }
  while (high - low > 5e-4 * high && high > 1e-9) {
    const double middle = low + (high - low) / 2;
    (f(middle) >= aim ? low : high) = middle;
  }
  return low;
}

struct Node {
  double epsilon;
  Line line;
};

long double value(const Line& line, long double e) { return line.p - e * line.q; }

// Where the two are equal; `left` is the steeper one.
long double crossing(const Line& left, const Line& right) { return (left.p - right.p) / (left.q - right.q); }

// The lines that are the largest somewhere, from left to right, each lowered to where the next ones take
// over before it ends.
std::vector<Line> envelope(const std::vector<Node>& nodes) {
  std::vector<Line> lines;  // from right to left
  for (std::size_t i = nodes.size(); i-- > 0;) {
    Line line = nodes[i].line;
    if (!(line.p > 0 && line.q > 0)) continue;
    const long double end = exp(Real(line.valid)).below();
    long double other = 0;
    for (const Line& next : lines) other = std::max(other, value(next, end));
    line.p -= std::max(0.0L, value(line, end) - other);
    if (!(line.p > 0)) continue;
    while (!lines.empty()) {
      const Line& next = lines.back();
      if (line.q <=
          next.q) {  // flatter, though it should be steeper: of use only if it is above, else left out
        break;
      }
      const long double here = crossing(line, next);
      const long double there = lines.size() > 1 ? crossing(next, lines[lines.size() - 2]) : next.p / next.q;
      if (here < there) break;
      lines.pop_back();  // `next` is nowhere the largest
    }
    if (lines.empty() || line.q > lines.back().q) lines.push_back(line);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

// The pair of a convex function that is the largest of lines right of 1; left of 1 its mirror image.
Pair pair_of(const std::vector<Line>& lines) {
  Pair pair;
  long double p = 0, q = 0;
  std::vector<Outcome> right;
  for (std::size_t i = lines.size(); i-- > 0;) {
    const long double kink =
        i + 1 < lines.size() ? crossing(lines[i], lines[i + 1]) : lines[i].p / lines[i].q;
    const long double mass = lines[i].q - (i + 1 < lines.size() ? lines[i + 1].q : 0);
    if (!(kink > 1 && mass > 0)) break;
    // What would make more than a law is left out, least losses first.
    const long double room = 1 - p - q, needed = (kink + 1) * mass, share = std::min(1.0L, room / needed);
    if (!(share > 0)) break;
    right.push_back({kink * mass * share, mass * share});
    p += right.back().p;
    q += right.back().q;
  }
  for (const Outcome& o : right) {
    pair.push_back({o.p * (1 - 1e-15L), o.q * (1 + 1e-15L)});
    pair.push_back({o.q * (1 - 1e-15L), o.p * (1 + 1e-15L)});
  }
  const long double rest = 1 - p - q;
  if (rest > 0) pair.push_back({rest * (1 - 1e-15L), rest * (1 + 1e-15L)});
  return pair;
}

long double chance_of(const SwapSum& sum) {
  return sum.present.above() * static_cast<long double>(sum.terms) / sum.threshold.below();
}

}  // namespace

std::optional<SwapSum> swap_sum_of(const Experiment& e, const std::string& theorem) {
  if (e.least_coin < e.coin || e.randomizer.kind == Kind::laplace || e.randomizer.symbols > 2)
    return std::nullopt;
  SwapSum sum;
  sum.randomizer = e.randomizer;
  if (theorem == "swap-profile" || theorem == "slot-averaged-swap") {
    sum.terms = e.clients;
    sum.present = e.rate();
    sum.absent = e.absence();
    sum.threshold = Real(e.clients);
  } else if (theorem == "subset-swap") {
    sum.terms = e.subset;
    sum.threshold = Real(e.clients);
  } else if (theorem == "slot-swap" || theorem == "slot-swap-counted") {
    sum.terms = e.slots;
    sum.threshold = Real(e.slots) / e.rate();
    if (theorem == "slot-swap-counted") {
      // docs/theory/slots.md, (2): of Poisson counts N of mean Lambda those up to n + 3 sqrt(n) are covered,
      // more rivals than any such Lambda has; beyond, P(N > n - 1) charges nearly the uncounted bound.
      const double most = e.clients + 3 * std::sqrt(e.clients) + 3;
      sum.rivals = (Real(most) * e.least_rate() / Real(e.slots)).middle() * (1 + 1e-12);
      sum.factor = 0.99L;
    }
  } else if (theorem == "privacy-blanket" && e.randomizer.kind != Kind::gaussian &&
             e.shape == Shape::everybody) {
    sum.terms = e.clients;
    sum.threshold = Real(e.clients);
  } else {
    return std::nullopt;
  }
  return sum;
}

Pair dominated_pair(const SwapSum& sum, double rounds, double upper, double delta, int lines) {
  const long double each = static_cast<long double>(delta) / static_cast<long double>(rounds);
  const double mu = sum.randomizer.kind == Kind::gaussian ? sum.randomizer.mu().middle() : 0;
  // Lines are valid a little beyond where they touch: as far as losses are small against the threshold.
  const double spare = sum.threshold.middle() - sum.terms * sum.present.middle();
  const double large = std::max(0.0, std::log(std::max(1.0, spare)) - 0.7);
  const double margin = std::min({large, 0.04 * mu * mu, 0.3 * mu});
  const auto node_at = [&](double epsilon, double end = 0) {
    const double cut = std::max({end, epsilon + 0.04 * std::min(epsilon, 2.0), epsilon + margin});
    return Node{epsilon, supporting_line(sum, epsilon, cut, each * 1e-2L)};
  };
  double last = 1;
  while (last < 1e5 && chance_of(sum) * message_delta(sum.randomizer, last).above > each * 1e-3L)
    last *= 1.05;
  if (mu == 0) last = std::min(last, sum.randomizer.epsilon0 * (1 - 1e-9));
  std::vector<Node> nodes;
  for (int i = 14; i >= 0; --i) nodes.push_back(node_at(std::ldexp(last, -i)));
  while (static_cast<int>(nodes.size()) < lines) {
    // The cell that counts most: its share of the variance of a round's loss, and of the chance of larger
    // ones.
    std::vector<long double> mass(nodes.size()), wide(nodes.size());
    long double square = 0, tail = 0, most = 0;
    std::size_t chosen = nodes.size();
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
      const Line &a = nodes[i].line, &b = nodes[i + 1].line;
      mass[i] = a.q > b.q ? std::max(0.0L, a.p - b.p) : 0;
      wide[i] = nodes[i + 1].epsilon - nodes[i].epsilon;
      square += mass[i] * static_cast<long double>(nodes[i + 1].epsilon * nodes[i + 1].epsilon);
    }
    for (std::size_t i = nodes.size() - 1; i-- > 0;) {
      tail += mass[i];
      const long double rare = mass[i] / (tail + each / 50) / static_cast<long double>(upper * upper);
      const long double counts = wide[i] * wide[i] * ((square > 0 ? mass[i] / square : 0) + 20 * rare);
      if (counts > most) most = counts, chosen = i;
    }
    if (chosen == nodes.size()) break;
    const double from = nodes[chosen].epsilon, to = nodes[chosen + 1].epsilon;
    const double at = to > 1.5 * from ? std::sqrt(from * to) : from + (to - from) / 2;
    nodes.insert(nodes.begin() + static_cast<long>(chosen) + 1, node_at(at));
  }
  // And as far as the next line takes over, where that is further.
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const Line &a = nodes[i].line, &b = nodes[i + 1].line;
    if (!(a.q > b.q && a.p > b.p && b.q > 0) || nodes[i + 1].epsilon <= a.valid) continue;
    const auto end = static_cast<double>(std::log(a.p - b.p) - std::log(a.q - b.q));
    if (end > a.valid && end < nodes[i + 1].epsilon) nodes[i] = node_at(nodes[i].epsilon, end + 0.02);
  }
  return pair_of(envelope(nodes));
}

std::optional<double> theorem_epsilon(const Repetition& repetition, const std::string& theorem, double delta,
                                      double upper) {
  const Experiment& e = repetition.experiment;
  const double rounds = repetition.rounds;
  if (theorem == "local-composition") {
    if (e.shape != Shape::everybody || e.randomizer.kind == Kind::laplace || e.randomizer.symbols > 2)
      return std::nullopt;
    return last_above(
        [&](double epsilon) {
          return e.randomizer.kind == Kind::gaussian
                     ? gaussian_delta(e.randomizer.mu() * sqrt(Real(rounds)), Real(epsilon)).below
                     : response_delta(e.randomizer.epsilon0, rounds, epsilon).below;
        },
        delta, upper);
  }
  const std::optional<SwapSum> sum = swap_sum_of(e, theorem);
  if (!sum) return std::nullopt;
  const double each = delta / rounds;
  Pair pair = swap_pair(*sum, each * 1e-3);
  if (pair.empty() && rounds > 1) pair = dominated_pair(*sum, rounds, upper, delta, kLines);
  return last_above(
      [&](double epsilon) {
        if (rounds > 1) {
          return std::max(large_loss_delta(pair, rounds, epsilon, delta),
                          composed_delta(pair, rounds, epsilon, delta * 1e-3));
        }
        return pair.empty() ? swap_value(*sum, epsilon, delta * 1e-2L) : delta_of(pair, epsilon);
      },
      delta, upper);
}

}  // namespace muster::reference
