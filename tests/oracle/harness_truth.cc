#include "tests/oracle/harness_truth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "muster/numerics/ordered.h"
#include "tests/oracle/known_false.h"

namespace muster::accounting::oracle {
namespace {

// Twice the relative rounding error of a 64-bit significand.
constexpr long double kUnit = 0x1p-63L;

// All histograms over K messages with at most n reports. For each histogram and each message w, `without` has
// the index of the histogram with one w fewer.
struct Lattice {
  int messages, most;
  std::vector<int> totals;
  std::vector<int> without;  // at [cell * messages + w]; equal to `cells` where the count of w is 0
  int cells = 0;

  Lattice(int messages_in, int most_in) : messages(messages_in), most(most_in) {
    std::vector<int> counts(static_cast<std::size_t>(messages), 0);
    std::map<std::vector<int>, int> index;
    std::vector<std::vector<int>> all;
    visit(0, most, counts, all);
    for (const auto& h : all) index.emplace(h, static_cast<int>(index.size()));
    cells = static_cast<int>(all.size());
    for (const auto& h : all) {
      int total = 0;
      for (const int x : h) total += x;
      totals.push_back(total);
      for (std::size_t w = 0; w < h.size(); ++w) {
        auto fewer = h;
        --fewer[w];
        without.push_back(h[w] > 0 ? index.at(fewer) : cells);
      }
    }
  }
  void visit(std::size_t w, int left, std::vector<int>& counts, std::vector<std::vector<int>>& all) {
    if (w == counts.size()) {
      all.push_back(counts);
      return;
    }
    for (int x = 0; x <= left; ++x) {
      counts[w] = x;
      visit(w + 1, left - x, counts, all);
    }
    counts[w] = 0;
  }
};

const Lattice& lattice(int messages, int most) {
  thread_local std::map<std::pair<int, int>, std::unique_ptr<Lattice>> known;
  auto& entry = known[{messages, most}];
  if (!entry) entry = std::make_unique<Lattice>(messages, most);
  return *entry;
}

// Weights of one client's reporting and staying away. For a subset they are 1, so that every subset of the
// clients is counted once.
struct Coin {
  long double report, stay;
};

Coin coin(const Participation& p, std::size_t client) {
  switch (p.kind) {
    case Participation::Kind::shuffle:
      return {1, 0};
    case Participation::Kind::subset:
      return {1, 1};
    case Participation::Kind::check_in:
      return {p.rate, 1 - static_cast<long double>(p.rate)};
    case Participation::Kind::rates:
      return {p.rates[client], 1 - static_cast<long double>(p.rates[client])};
    case Participation::Kind::averaged:
      return {p.rate, 1 - static_cast<long double>(p.rate)};
    case Participation::Kind::slots:
    case Participation::Kind::aggregated:
      break;
  }
  return {1, 0};
}

// Computes the weight of each histogram of `clients` + 1 clients, `after`, from the weights for `clients`
// clients, `before`. Both vectors have an extra last cell with weight 0, to which Lattice::without refers.
void add_client(const Lattice& grid, int clients, const std::vector<long double>& before, const Law& law,
                Coin coin, std::vector<long double>& after) {
  const auto k = static_cast<std::size_t>(grid.messages);
  long double weights[24];
  for (std::size_t w = 0; w < k; ++w) weights[w] = coin.report * law[w];
  for (std::size_t i = 0; i < static_cast<std::size_t>(grid.cells); ++i) {
    if (grid.totals[i] > clients + 1 || (!(coin.stay > 0) && grid.totals[i] != clients + 1)) {
      after[i] = 0;
      continue;
    }
    long double sum = coin.stay * before[i];
    for (std::size_t w = 0; w < k; ++w)
      sum += weights[w] * before[static_cast<std::size_t>(grid.without[i * k + w])];
    after[i] = sum;
  }
}

// For averaged updates a message is a pair (slot, symbol), with a uniform slot.
std::vector<Law> with_slots(const std::vector<Law>& laws, int slots) {
  std::vector<Law> wide;
  for (const Law& law : laws) {
    Law all;
    for (int s = 0; s < slots; ++s) {
      for (const long double x : law) all.push_back(x / static_cast<long double>(slots));
    }
    wide.push_back(all);
  }
  return wide;
}

// Computes the law of the m messages of a fixed window, in their order, as a sum over every choice of every
// client (a slot, or no check-in).
class Window {
 public:
  Window(const Case& c, const Participation& p) : c_(c), p_(p), messages_(c.laws.front().size()) {
    outcomes_ = 1;
    for (int s = 0; s < p.slots; ++s) outcomes_ *= messages_;
  }

  std::vector<long double> law(int victim, const std::vector<int>& dataset) const {
    std::vector<long double> total(outcomes_, 0);
    std::vector<std::vector<int>> at(static_cast<std::size_t>(p_.slots));
    std::vector<int> records = dataset;
    records.push_back(victim);
    choose(records, 0, 1, at, total);
    return total;
  }

 private:
  void choose(const std::vector<int>& records, std::size_t j, long double weight,
              std::vector<std::vector<int>>& at, std::vector<long double>& total) const {
    if (!(weight > 0)) return;
    if (j < records.size()) {
      choose(records, j + 1, weight * (1 - static_cast<long double>(p_.rate)), at, total);
      for (auto& slot : at) {
        slot.push_back(records[j]);
        choose(records, j + 1, weight * p_.rate / static_cast<long double>(p_.slots), at, total);
        slot.pop_back();
      }
      return;
    }
    // One of the clients at the slot answers, chosen uniformly, or the dummy if there is none.
    std::vector<Law> mixed;
    for (const auto& slot : at) {
      Law law(messages_, 0);
      for (const int r : slot.empty() ? std::vector<int>{0} : slot) {
        for (std::size_t w = 0; w < messages_; ++w) law[w] += c_.laws[static_cast<std::size_t>(r)][w];
      }
      for (long double& x : law) x /= static_cast<long double>(numerics::larger<std::size_t>(1, slot.size()));
      mixed.push_back(law);
    }
    for (std::size_t outcome = 0; outcome < outcomes_; ++outcome) {
      long double mass = weight;
      std::size_t rest = outcome;
      for (const Law& law : mixed) mass *= law[rest % messages_], rest /= messages_;
      total[outcome] += mass;
    }
  }

  const Case& c_;
  const Participation& p_;
  std::size_t messages_, outcomes_;
};

}  // namespace

long double relative_error(const Case& c) {
  const auto k = static_cast<long double>(c.laws.front().size());
  const auto slots = static_cast<long double>(c.participation.slots);
  // With m slots of a fixed window, up to (m + 1)^n products are added up, each with a few factors per slot.
  const long double choices =
      c.participation.kind == Participation::Kind::slots ? std::pow(slots + 1, c.n) + 6 * slots : 0;
  return (static_cast<long double>(c.n) * (2 * k * slots + 8) + choices) * kUnit;
}

void for_each_dataset(
    const Case& c, const Participation& participation, const std::vector<std::vector<int>>& datasets,
    const std::function<void(const std::vector<int>&, const std::vector<std::vector<long double>>&)>& visit) {
  if (participation.kind == Participation::Kind::slots) {
    const Window window(c, participation);
    std::vector<std::vector<long double>> laws(c.laws.size());
    for (const auto& dataset : datasets) {
      for (std::size_t r = 0; r < c.laws.size(); ++r) laws[r] = window.law(static_cast<int>(r), dataset);
      visit(dataset, laws);
    }
    return;
  }
  const std::vector<Law> messages =
      participation.kind == Participation::Kind::averaged ? with_slots(c.laws, participation.slots) : c.laws;
  const Lattice& grid = lattice(static_cast<int>(messages.front().size()), c.n);
  const auto cells = static_cast<std::size_t>(grid.cells);
  const auto others = static_cast<std::size_t>(c.n - 1);
  std::vector<std::vector<long double>> stack(others + 1, std::vector<long double>(cells + 1, 0));
  stack[0][0] = 1;  // the empty histogram is the first cell
  std::vector<std::vector<long double>> full(c.laws.size(), std::vector<long double>(cells + 1, 0));
  std::vector<std::vector<long double>> seen(c.laws.size());
  std::vector<int> last;
  for (const auto& dataset : datasets) {
    std::size_t shared = 0;
    while (shared < last.size() && last[shared] == dataset[shared]) ++shared;
    for (std::size_t j = shared; j < others; ++j) {
      add_client(grid, static_cast<int>(j), stack[j], messages[static_cast<std::size_t>(dataset[j])],
                 coin(participation, j + 1), stack[j + 1]);
    }
    last = dataset;
    for (std::size_t r = 0; r < c.laws.size(); ++r) {
      add_client(grid, static_cast<int>(others), stack[others], messages[r], coin(participation, 0), full[r]);
      seen[r].clear();
      long double total = 0;
      for (std::size_t i = 0; i < cells; ++i) {
        const bool kept = participation.kind == Participation::Kind::subset
                              ? grid.totals[i] == participation.k
                          : participation.kind == Participation::Kind::shuffle ? grid.totals[i] == c.n
                                                                               : true;
        if (kept) seen[r].push_back(full[r][i]), total += full[r][i];
      }
      if (participation.kind == Participation::Kind::subset) {
        for (long double& x : seen[r]) x /= total;  // total = C(n, k)
      }
    }
    visit(dataset, seen);
  }
}

Interval hockey_stick_interval(const std::vector<long double>& p, const std::vector<long double>& q,
                               long double epsilon, long double error) {
  const long double factor = std::exp(epsilon) * (1 + 2 * kUnit);
  const long double low = factor * (1 + error) / (1 - error), high = factor / (1 + 8 * kUnit + 2 * error);
  long double least = 0, most = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const long double certain = p[i] - low * q[i], possible = p[i] - high * q[i];
    least += certain > 0 ? certain : 0;
    most += possible > 0 ? possible : 0;
  }
  const long double sums = 4 * error + static_cast<long double>(p.size()) * kUnit;
  return {least * (1 - sums), most * (1 + sums)};
}

Interval renyi_interval(const std::vector<long double>& p, const std::vector<long double>& q,
                        long double order, long double error) {
  long double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (q[i] > 0) sum += q[i] * std::pow(p[i] / q[i], order);
    if (p[i] > 0 && !(q[i] > 0))
      return {std::numeric_limits<long double>::infinity(), std::numeric_limits<long double>::infinity()};
  }
  const long double slack = 2 * (2 * order + 2) * error + static_cast<long double>(p.size() + 8) * kUnit;
  return {std::log(sum * (1 - slack)) / (order - 1), std::log(sum * (1 + slack)) / (order - 1)};
}

std::vector<Interval> truth(const Case& c, const Participation& participation,
                            const std::vector<std::vector<int>>& datasets) {
  if (c.kind == Kind::average) {  // the error of the trapezoidal rule is far below 1e-9
    std::vector<Interval> moments;
    for (const double order : c.grid) {
      const long double moment = averaged_moment(participation.k, c.noise, order);
      moments.push_back(
          {std::log(moment * (1 - 1e-9L)) / (order - 1), std::log(moment * (1 + 1e-9L)) / (order - 1)});
    }
    return moments;
  }
  const long double error = relative_error(c);
  std::vector<Interval> worst(c.grid.size(), {0, 0});
  for_each_dataset(c, participation, datasets, [&](const std::vector<int>&, const auto& laws) {
    for (const auto& [x, y] : c.pairs) {
      const auto& p = laws[static_cast<std::size_t>(x)];
      const auto& q = laws[static_cast<std::size_t>(y)];
      for (std::size_t i = 0; i < c.grid.size(); ++i) {
        const Interval value = c.quantity == Quantity::hockey_stick
                                   ? hockey_stick_interval(p, q, c.grid[i], error)
                                   : renyi_interval(p, q, c.grid[i], error);
        worst[i].lower = numerics::larger(worst[i].lower, value.lower);
        worst[i].upper = numerics::larger(worst[i].upper, value.upper);
      }
    }
  });
  return worst;
}

}  // namespace muster::accounting::oracle
