#include "tests/reference/theorem_value.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "tests/reference/binomials.h"
#include "tests/reference/line_envelope.h"
#include "tests/reference/loss_sum.h"
#include "tests/reference/theorem.h"

namespace muster::reference {
namespace {

using Kind = Randomizer::Kind;
using Shape = Experiment::Shape;

constexpr int kLines = 70;
constexpr double kNear = 0.997;
// Above this epsilon of all rounds, the lattice of loss_sum.h may be the better method.
constexpr double kLargeLosses = 50;

// For a decreasing f, returns a lower bound of the largest x <= `high` with f(x) >= aim. This x is expected
// near `high`.
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
  std::vector<Line> lines;  // one for each sum
};

long double chance_of(const SwapSum& sum) {
  return sum.present.above() * static_cast<long double>(sum.terms) / sum.threshold.below();
}

SwapSum without_rivals(SwapSum sum) {
  sum.rivals = 0;
  return sum;
}

// Returns the lines of all sums at one epsilon. The line of the sum
// without rivals is the same for all of them, so it is computed once.
std::vector<Line> lines_at(const std::vector<Charged>& sums, double epsilon, double cut, long double drop) {
  std::vector<Line> lines;
  std::optional<Line> plain;
  const auto plain_line = [&] {
    if (!plain) plain = supporting_line(without_rivals(sums.front().sum), epsilon, cut, drop);
    return *plain;
  };
  for (const Charged& charged : sums) {
    Line line = charged.sum.rivals > 0 ? supporting_line(charged.sum, epsilon, cut, drop) : plain_line();
    if (charged.charge != 0) {
      line.p += charged.charge * plain_line().p;
      line.q += charged.charge * plain_line().q;
    }
    lines.push_back(line);
  }
  return lines;
}

long double least_value(const std::vector<Charged>& sums, double epsilon, long double drop) {
  const long double e = exp(Real(epsilon)).above();
  long double least = 1;
  for (const Line& line : lines_at(sums, epsilon, epsilon, drop))
    least = std::min(least, line.p - e * line.q);
  return std::max(0.0L, least);
}

// Returns a lower bound of P(N >= n) for a Poisson N: a
// sum of the terms that matter, each from the one before.
long double poisson_at_least(double n, double mean) {
  long double term = exp(Real(n) * log(Real(mean)) - Real(mean) - log_gamma(Real(n) + 1.0)).below(), sum = 0;
  for (double k = n; k < n + 20 * std::sqrt(mean) + 60 && term > 0; ++k) {
    sum += term;
    term *= static_cast<long double>(mean) / (static_cast<long double>(k) + 1);
  }
  return std::min(1.0L, sum * (1 - 1e-12L));
}

// Returns the index of the cell between two nodes that is to be split next: the one with the largest product
// of its squared width and a weight. The weight is the sum of two terms: the cell's probability divided by
// the second moment of a round's loss, and 20 / upper^2 times the cell's probability divided by that of
// losses in this cell or above. The index is the number of nodes if every product is 0. `each` is a round's
// delta, and `upper` an upper bound of epsilon.
std::size_t cell_to_split(const std::vector<Node>& nodes, long double each, double upper) {
  std::vector<long double> mass(nodes.size()), wide(nodes.size());
  long double square = 0, tail = 0, most = 0;
  std::size_t chosen = nodes.size();
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const Line &a = nodes[i].lines.back(), &b = nodes[i + 1].lines.back();
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
  return chosen;
}

}  // namespace

std::vector<Charged> swap_sums_of(const Experiment& e, const std::string& theorem) {
  if (e.least_coin < e.coin || e.randomizer.kind == Kind::laplace || e.randomizer.symbols > 2) return {};
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
  } else if (theorem == "privacy-blanket" && e.randomizer.kind != Kind::gaussian &&
             e.shape == Shape::everybody) {
    sum.terms = e.clients;
    sum.threshold = Real(e.clients);
  } else {
    return {};
  }
  if (theorem != "slot-swap-counted") return {{sum, 0}};
  // Bound (2) of docs/theory/slots.md is the smallest value over Lambda of V(w') + P(N > n - 1) V(1), for N
  // Poisson with mean Lambda. V(w') falls and the charge grows with Lambda. Between two values of Lambda,
  // V(w') is therefore at least its value at the larger one, and the charge at least its value at the smaller
  // one.
  std::vector<Charged> all;
  for (const double z : {6.0, -1.0, -3.0, -5.0}) {
    const double mean = std::max(0.0, e.clients + z * std::sqrt(e.clients));
    const long double charge = mean > 0 ? poisson_at_least(e.clients, mean) : 0;
    if (all.empty()) {
      all.push_back({sum, charge - 1});  // for a larger Lambda, only the charge counts
    } else {
      all.back().charge = charge;
    }
    if (!(mean > 0)) break;
    SwapSum counted = sum;
    counted.rivals = (Real(mean) * e.least_rate() / Real(e.slots)).middle() * (1 + 1e-12);
    all.push_back({counted, 0});
  }
  return all;
}

Pair dominated_pair(const std::vector<Charged>& sums, double rounds, double upper, double delta, int lines) {
  const long double each = static_cast<long double>(delta) / static_cast<long double>(rounds);
  const SwapSum& first = sums.front().sum;
  const double mu = first.randomizer.kind == Kind::gaussian ? first.randomizer.mu().middle() : 0;
  // Lines are made valid a little beyond the point where they touch, as long as losses stay small compared
  // with the threshold.
  const double spare = first.threshold.middle() - first.terms * first.present.middle();
  const double large = std::max(0.0, std::log(std::max(1.0, spare)) - 0.7);
  const double margin = std::min({large, 0.04 * mu * mu, 0.3 * mu});
  const auto node_at = [&](double epsilon, double end = 0) {
    const double cut = std::max({end, epsilon + 0.04 * std::min(epsilon, 2.0), epsilon + margin});
    return Node{epsilon, lines_at(sums, epsilon, cut, each * 1e-2L)};
  };
  double last = 1;
  while (last < 1e5 && chance_of(first) * message_delta(first.randomizer, last).above > each * 1e-3L)
    last *= 1.05;
  if (mu == 0) last = std::min(last, first.randomizer.epsilon0 * (1 - 1e-9));
  std::vector<Node> nodes;
  for (int i = 14; i >= 0; --i) nodes.push_back(node_at(std::ldexp(last, -i)));
  while (static_cast<int>(nodes.size()) < lines) {
    const std::size_t chosen = cell_to_split(nodes, each, upper);
    if (chosen == nodes.size()) break;
    const double from = nodes[chosen].epsilon, to = nodes[chosen + 1].epsilon;
    const double at = to > 1.5 * from ? std::sqrt(from * to) : from + (to - from) / 2;
    nodes.insert(nodes.begin() + static_cast<long>(chosen) + 1, node_at(at));
  }
  // If the validity of a line ends before the next line becomes larger, the line is computed again, so that
  // it is valid up to there.
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    double end = 0;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const Line &a = nodes[i].lines[k], &b = nodes[i + 1].lines[k];
      if (!(a.q > b.q && a.p > b.p && b.q > 0) || nodes[i + 1].epsilon <= a.valid) continue;
      const auto here = static_cast<double>(std::log(a.p - b.p) - std::log(a.q - b.q));
      if (here > a.valid && here < nodes[i + 1].epsilon) end = std::max(end, here);
    }
    if (end > 0) nodes[i] = node_at(nodes[i].epsilon, end + std::max(0.02, margin / 2));
  }
  std::vector<std::vector<Line>> envelopes;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    std::vector<Line> own;
    for (const Node& node : nodes) own.push_back(node.lines[k]);
    envelopes.push_back(envelope(own));
  }
  return pair_of(least(envelopes));
}

namespace {

// Returns a lower bound of the divergence of the victim's messages alone (docs/theory/local.md), whose number
// has the law Bin(T, g). The numbers are taken in blocks, each of which counts as its smallest number, and
// far ends are left out. Both lower the result.
long double local_delta(const Experiment& e, double rounds, double epsilon) {
  const auto messages = [&](double k) {
    return e.randomizer.kind == Kind::gaussian
               ? gaussian_delta(e.randomizer.mu() * sqrt(Real(k)), Real(epsilon)).below
               : response_delta(e.randomizer.epsilon0, k, epsilon).below;
  };
  const Real one(1.0), chance = e.shape == Shape::everybody ? one
                                : e.shape == Shape::subset  ? Real(e.subset) / Real(e.clients)
                                                            : e.rate();
  const Real not_chance = e.shape == Shape::subset      ? Real(e.clients - e.subset) / Real(e.clients)
                          : e.shape == Shape::everybody ? Real(0.0)
                                                        : e.absence();
  if (!not_chance.surely_positive()) return messages(rounds);
  const double mean = rounds * chance.middle(), deviation = std::sqrt(mean * not_chance.middle());
  const double first = std::max(1.0, std::floor(mean - 9 * deviation - 9)),
               last = std::min(rounds, std::ceil(mean + 9 * deviation + 30));
  const double block = std::max(1.0, std::floor(deviation / 20));
  Binomials law(rounds, chance, not_chance, first);
  long double sum = 0;
  for (double k = first; k <= last;) {
    const double smallest = k;
    long double weight = 0;
    for (; k <= last && k < smallest + block; ++k, law.next()) weight += law.value() * (1 - law.error());
    sum += weight * messages(smallest);
  }
  return sum * (1 - 1e-12L);
}

}  // namespace

std::optional<double> theorem_epsilon(const Repetition& repetition, const std::string& theorem, double delta,
                                      double upper) {
  const Experiment& e = repetition.experiment;
  const double rounds = repetition.rounds;
  if (theorem == "local-composition") {
    if (e.randomizer.kind == Kind::laplace || e.randomizer.symbols > 2) return std::nullopt;
    return last_above([&](double epsilon) { return local_delta(e, rounds, epsilon); }, delta, upper);
  }
  const std::vector<Charged> sums = swap_sums_of(e, theorem);
  if (sums.empty()) return std::nullopt;
  const double each = delta / rounds;
  Pair pair;
  if (sums.size() == 1) pair = swap_pair(sums.front().sum, each * 1e-3);
  if (pair.empty() && rounds > 1) pair = dominated_pair(sums, rounds, upper, delta, kLines);
  if (rounds == 1) {
    return last_above(
        [&](double epsilon) {
          return pair.empty() ? least_value(sums, epsilon, delta * 1e-2L) : delta_of(pair, epsilon);
        },
        delta, upper);
  }
  // There are three ways to add losses up. Each gives a lower bound, and each is the best one somewhere.
  const SummedLosses losses(pair, rounds, upper, delta);
  double best = 0;
  const auto keep = [&](const std::function<long double(double)>& composed) {
    if (best < upper * kNear) best = std::max(best, last_above(composed, delta, upper));
  };
  keep([&](double epsilon) { return losses.delta(epsilon); });
  if (upper > kLargeLosses)
    keep([&](double epsilon) { return large_loss_delta(pair, rounds, epsilon, delta); });
  keep([&](double epsilon) { return composed_delta(pair, rounds, epsilon, delta * 1e-3); });
  return best;
}

}  // namespace muster::reference
