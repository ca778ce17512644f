#include "muster/describe/channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_set>
#include <utility>

#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using Extended = long double;
using Row = std::vector<double>;
using Rows = std::vector<Row>;

constexpr Extended kUnit = std::numeric_limits<Extended>::epsilon() / 2;
// If there are at most this many different likelihood ratios above 1, each is a node.
constexpr std::size_t kFewRatios = 1000;
// Otherwise this many nodes are equally spaced in ln alpha up to kModerate, and as many from there to the
// largest loss.
constexpr int kGrid = 500;
constexpr double kModerate = 4;
// A chord is halved if it lies above F by more than this share in the middle, for example where the profiles
// of two pairs cross. Halving ends before there would be more than kMostNodes nodes or kMostWork steps of
// work.
constexpr Extended kWide = 1e-5L;
constexpr std::size_t kMostNodes = 3000;
constexpr double kMostWork = 1e8;
// Tests compare probabilities up to a ratio of e^kMaxExponent, which a double holds.
constexpr double kMaxExponent = 700;
// The smallest entry error (channel.h). A decimal that is read as a double is off by at most 2^-53 of itself.
constexpr double kLeastError = 0x1p-50;

[[noreturn]] void refuse(Reason reason, const std::string& place, const std::string& value,
                         const std::string& allowed, const std::string& message) {
  throw Error::in_words(ErrorCode::plan, reason, "randomizer.profile", value, allowed,
                        fmt::format("{}: {}; allowed: {}", place, message, allowed));
}

void check_sizes(const Rows& rows, const RowPlace& place) {
  const std::size_t outputs = rows.empty() ? 0 : rows.front().size();
  if (rows.size() < 2 || rows.size() > Channel::kMaxInputs) {
    refuse(Reason::out_of_range, place(rows.empty() ? 0 : rows.size() - 1), fmt::format("{}", rows.size()),
           fmt::format("2 to {}", Channel::kMaxInputs),
           fmt::format("the matrix has {}, one for each record", count_text(rows.size(), "row")));
  }
  if (outputs < 2 || outputs > Channel::kMaxOutputs) {
    refuse(Reason::out_of_range, place(0), fmt::format("{}", outputs),
           fmt::format("2 to {}", Channel::kMaxOutputs),
           fmt::format("the matrix has {}, one for each output", count_text(outputs, "column")));
  }
  if (rows.size() * outputs > Channel::kMaxEntries) {
    refuse(Reason::out_of_range, place(rows.size() - 1), fmt::format("{}", rows.size() * outputs),
           fmt::format("at most {}", Channel::kMaxEntries),
           fmt::format("the matrix has {} rows of {} entries, {} in all", rows.size(), outputs,
                       rows.size() * outputs));
  }
}

// Returns the sum of a row, after checking its entries.
Extended checked_sum(const Rows& rows, std::size_t row, const RowPlace& place) {
  if (rows[row].size() != rows.front().size()) {
    refuse(
        Reason::malformed, place(row), fmt::format("{}", rows[row].size()),
        fmt::format("{}", rows.front().size()),
        fmt::format("the row has {} entries, and the first one {}", rows[row].size(), rows.front().size()));
  }
  Extended sum = 0;
  for (std::size_t column = 0; column < rows[row].size(); ++column) {
    const double entry = rows[row][column];
    if (!(entry >= 0 && entry <= 1)) {
      refuse(Reason::out_of_range, place(row), fmt::format("{}", entry), "number in [0, 1]",
             fmt::format("entry {} = {} is no probability", column + 1, entry));
    }
    sum += entry;
  }
  if (!(std::fabs(sum - 1) <= Channel::kMaxSumError)) {
    const std::string found = fmt::format("{}", static_cast<double>(sum));
    refuse(Reason::out_of_range, place(row), found, fmt::format("1 within {}", Channel::kMaxSumError),
           fmt::format("the row's probabilities sum to {}", found));
  }
  return sum;
}

double checked_error(const Rows& rows, const RowPlace& place) {
  check_sizes(rows, place);
  double error = kLeastError;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Extended sum = checked_sum(rows, row, place);
    error = numerics::larger(
        error, static_cast<double>(std::fabs(sum - 1)) * (1 + numerics::kUlpAbove) + kLeastError);
  }
  if (std::ranges::all_of(rows, [&](const Row& row) { return row == rows.front(); })) {
    refuse(Reason::contradiction, place(rows.size() - 1), "", "rows that differ",
           "all rows are equal: messages do not depend on the record, which costs nothing");
  }
  return error;
}

template <typename Each>
void for_ordered_pairs(const Rows& rows, const Each& each) {
  for (const Row& p : rows) {
    for (const Row& q : rows) {
      if (&p != &q) each(p, q);
    }
  }
}

// The likelihood ratio of one output, with its probabilities.
struct Output {
  Extended ratio, q;
};

// The outputs of a pair of rows that the second one can send, from the largest ratio to the smallest, without
// ratios of at most `least`; and the probability of the outputs that it cannot send.
struct SortedPair {
  std::vector<Output> outputs;
  Extended infinite = 0;

  SortedPair(const Row& p, const Row& q, Extended least) {
    for (std::size_t y = 0; y < p.size(); ++y) {
      if (q[y] > 0) {
        const Extended ratio = static_cast<Extended>(p[y]) / q[y];
        if (ratio > least) outputs.push_back({ratio, static_cast<Extended>(q[y])});
      } else {
        infinite += p[y];
      }
    }
    std::ranges::sort(outputs, std::ranges::greater{}, &Output::ratio);
  }
};

// Raises values[i] to at least F of the pair at nodes[i], for nodes in increasing order. From one point to
// the next smaller one, the sum of (p - beta q)_+ grows by the q-mass of the ratios above times the distance,
// so that all terms are positive. Ratios are rounded, which may make p - beta q too small by kUnit times p.
// No ratio is above `top`.
void raise(const SortedPair& pair, const std::vector<Extended>& nodes, Extended top,
           std::vector<Extended>& values) {
  const Extended steps = static_cast<Extended>(pair.outputs.size() + nodes.size());
  // Each step takes at most four roundings of positive terms: a difference, a product and two sums.
  const Extended rounding = 1 + (4 * steps + 16) * kUnit;
  Extended sum = pair.infinite, mass = 0, at = 0;
  auto next = pair.outputs.begin();
  for (std::size_t i = nodes.size(); i-- > 0;) {
    for (; next != pair.outputs.end() && next->ratio > nodes[i]; ++next) {
      if (mass > 0) sum += mass * (at - next->ratio);
      at = next->ratio;
      mass += next->q;
    }
    if (mass > 0) {
      sum += mass * (at - nodes[i]);
      at = nodes[i];
    }
    // The roundings of the ratios lower the sum by at most kUnit times the sum of p, which is hardly above 1.
    // At nodes from `top` on, only probabilities of infinite losses were added.
    const Extended value = sum * rounding + (nodes[i] < top ? 4 * kUnit : 0);
    if (value > values[i]) values[i] = value;
  }
}

// The largest finite ratio of all pairs, rounded up so that p <= ratio q for every output with q > 0.
Extended largest_ratio(const Rows& rows) {
  Extended most = 1;
  for_ordered_pairs(rows, [&](const Row& p, const Row& q) {
    for (std::size_t y = 0; y < p.size(); ++y) {
      if (q[y] > 0 && p[y] > most * q[y]) most = static_cast<Extended>(p[y]) / q[y];
    }
  });
  // The quotient is rounded, and so is the product to which p[y] is compared.
  return most * (1 + 4 * kUnit);
}

// The finite ratios above 1, in increasing order; none if there are more than kFewRatios. Ratios whose
// fractions agree in their first 40 bits count as one.
std::vector<Extended> few_ratios(const Rows& rows) {
  std::unordered_set<std::uint64_t> seen;
  std::vector<Extended> ratios;
  bool many = false;
  for_ordered_pairs(rows, [&](const Row& p, const Row& q) {
    for (std::size_t y = 0; y < p.size() && !many; ++y) {
      if (!(q[y] > 0 && p[y] > q[y])) continue;
      const double ratio = p[y] / q[y];
      if (std::isfinite(ratio) && seen.insert(std::bit_cast<std::uint64_t>(ratio) >> 12).second) {
        ratios.push_back(static_cast<Extended>(p[y]) / q[y]);
        many = ratios.size() > kFewRatios;
      }
    }
  });
  if (many) return {};
  std::ranges::sort(ratios);
  return ratios;
}

// Increasing nodes from `first` to `last`, at which F is computed.
std::vector<Extended> nodes_of(const Rows& rows, Extended first, Extended last) {
  std::vector<Extended> nodes{first};
  const auto add = [&](Extended beta) {
    if (beta > nodes.back() && beta < last) nodes.push_back(beta);
  };
  if (const std::vector<Extended> ratios = few_ratios(rows); !ratios.empty()) {
    for (const Extended ratio : ratios) add(ratio);
  } else {
    const Extended top = std::log(last / first), moderate = numerics::smaller<Extended>(top, kModerate);
    for (int i = 1; i <= kGrid; ++i) add(first * std::exp(moderate * i / kGrid));
    for (int i = 1; i < kGrid; ++i) add(first * std::exp(moderate + (top - moderate) * i / kGrid));
  }
  nodes.push_back(last);
  return nodes;
}

// F at nodes, rounded up.
struct Points {
  std::vector<Extended> betas, values;
};

std::vector<Extended> upper_values(const Rows& rows, const std::vector<Extended>& betas, Extended least,
                                   Extended top) {
  std::vector<Extended> values(betas.size(), 0);
  for_ordered_pairs(rows,
                    [&](const Row& p, const Row& q) { raise(SortedPair(p, q, least), betas, top, values); });
  return values;
}

// The points at `nodes`, and at the middles of wide chords, of their halves, and so on.
Points refined(const Rows& rows, std::vector<Extended> nodes) {
  const Extended least = nodes.front(), top = nodes.back();
  Points all{nodes, upper_values(rows, nodes, least, top)};
  std::vector<bool> open(nodes.size() - 1, true);  // whether the chord to the next node may be wide
  const double work = static_cast<double>(rows.size() * rows.size() * rows.front().size()) * 4;
  for (double done = work; done + work < kMostWork; done += work) {
    std::vector<Extended> middles;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i]) middles.push_back(all.betas[i] + (all.betas[i + 1] - all.betas[i]) / 2);
    }
    if (middles.empty() || all.betas.size() + middles.size() > kMostNodes) break;
    const std::vector<Extended> values = upper_values(rows, middles, least, top);
    Points next;
    std::vector<bool> next_open;
    for (std::size_t i = 0, j = 0; i < all.betas.size(); ++i) {
      next.betas.push_back(all.betas[i]);
      next.values.push_back(all.values[i]);
      if (i == open.size()) break;
      const bool tried = open[i];
      const bool wide = tried && (all.values[i] + all.values[i + 1]) / 2 > values[j] * (1 + kWide);
      next_open.push_back(wide);
      if (wide) {
        next.betas.push_back(middles[j]);
        next.values.push_back(values[j]);
        next_open.push_back(true);
      }
      if (tried) ++j;
    }
    all = std::move(next);
    open = std::move(next_open);
  }
  return all;
}

// --- tests ----------------------------------------------------------------------------------------

// The pair of rows for which the outputs with p > beta q have the largest sum of p - beta q.
std::pair<const Row*, const Row*> most_different(const Rows& rows, double beta) {
  std::pair<const Row*, const Row*> best{&rows[0], &rows[1]};
  double most = -1;
  for_ordered_pairs(rows, [&](const Row& p, const Row& q) {
    double gain = 0;
    for (std::size_t y = 0; y < p.size(); ++y) gain += numerics::larger(0.0, p[y] - beta * q[y]);
    if (gain > most) most = gain, best = {&p, &q};
  });
  return best;
}

Extended sum_of(const Row& row) {
  Extended sum = 0;
  for (const double entry : row) sum += entry;
  return sum;
}

std::vector<Channel::Test> tests_of(const Rows& rows) {
  const double top = numerics::smaller(static_cast<double>(std::log(largest_ratio(rows))), kMaxExponent);
  constexpr double kRoom = numerics::kEightThousandRoundings;  // a sum has at most kMaxOutputs roundings
  std::vector<Channel::Test> tests;
  for (const double of_pair : {0.0, 0.5, 0.95}) {
    const auto [p, q] = most_different(rows, std::exp(of_pair * top));
    for (const double share : {0.0, 0.25, 0.5, 0.75, 0.95}) {
      const double beta = std::exp(share * top);
      double victim = 0, alternative = 0;
      for (std::size_t y = 0; y < p->size(); ++y) {
        if ((*p)[y] > beta * (*q)[y]) victim += (*p)[y], alternative += (*q)[y];
      }
      const Channel::Test test{static_cast<double>(victim / sum_of(*p) * (1 - kRoom)),
                               static_cast<double>(alternative / sum_of(*q) * (1 + kRoom))};
      const auto same = [&](const Channel::Test& other) {
        return other.victim == test.victim && other.alternative == test.alternative;
      };
      if (test.victim > test.alternative && std::ranges::none_of(tests, same)) tests.push_back(test);
    }
  }
  return tests;
}

// --- the pair of a lower bound --------------------------------------------------------------------

// The mean under q of (p/q - 1)^2, which decides how far apart the two records are in a large crowd; -1 if p
// has an output that is impossible under q.
double spread(const Row& p, const Row& q) {
  double sum = 0;
  for (std::size_t y = 0; y < p.size(); ++y) {
    if (p[y] > 0 && !(q[y] > 0)) return -1;
    if (q[y] > 0) sum += (p[y] - q[y]) * (p[y] / q[y] - 1);
  }
  return sum;
}

std::vector<Channel::Cell> cells_of(const Row& p, const Row& q) {
  // Outputs whose ratios differ by less than this share are one cell, which changes the spread by about the
  // square of this share.
  constexpr Extended kSimilar = 1e-3L;
  SortedPair sorted(p, q, 0);
  const Extended p_sum = sum_of(p), q_sum = sum_of(q);
  std::vector<Channel::Cell> cells;
  Extended first = 0;
  for (const Output& output : sorted.outputs) {
    const Extended victim = output.ratio * output.q / p_sum, alternative = output.q / q_sum;
    if (cells.empty() || !(output.ratio > first * (1 - kSimilar))) {
      cells.push_back({victim, alternative});
      first = output.ratio;
    } else {
      cells.back().victim += victim;
      cells.back().alternative += alternative;
    }
  }
  Extended impossible = 0;  // for the victim's record
  for (std::size_t y = 0; y < p.size(); ++y) impossible += p[y] > 0 ? 0 : q[y] / q_sum;
  if (impossible > 0) cells.push_back({0, impossible});
  return cells;
}

std::vector<Channel::Cell> pair_of(const Rows& rows) {
  const Row *victim = nullptr, *alternative = nullptr;
  double most = 0;
  for_ordered_pairs(rows, [&](const Row& p, const Row& q) {
    const double here = spread(p, q);
    if (here > most) most = here, victim = &p, alternative = &q;
  });
  return victim == nullptr ? std::vector<Channel::Cell>{} : cells_of(*victim, *alternative);
}

}  // namespace

Channel::Channel(std::vector<std::vector<double>> rows, const RowPlace& place)
    : rows_(std::move(rows)),
      entry_error_(checked_error(rows_, place)),
      tests_(tests_of(rows_)),
      pair_(pair_of(rows_)) {}

TabulatedProfile Channel::profile() const {
  // The factor takes four roundings (of a difference, a sum, a quotient and a product) and is lowered by more
  // than these.
  const Extended s = entry_error_, shrunk = (1 - s) / (1 + s) * (1 - 8 * kUnit);
  const auto [betas, values] = refined(rows_, nodes_of(rows_, shrunk, largest_ratio(rows_)));
  std::vector<TabulatedProfile::Node> nodes;
  for (std::size_t i = 0; i < betas.size(); ++i) {
    // The logarithm is raised by more than its own roundings and the one to double. The value takes three
    // roundings.
    const Extended exact = std::log(betas[i] / shrunk);
    const double log_alpha = i == 0 ? 0 : static_cast<double>(exact * (1 + numerics::kUlpAbove));
    const Extended value = values[i] / (1 - s) * (1 + 4 * kUnit);
    // Two nodes may get the same logarithm, because logarithms are rounded up. The value of the larger node
    // holds there.
    if (nodes.size() > 1 && log_alpha <= nodes.back().log_alpha) nodes.pop_back();
    nodes.push_back({log_alpha, numerics::smaller<Extended>(1, value)});
  }
  return TabulatedProfile::of_nodes(nodes);
}

}  // namespace muster::accounting
