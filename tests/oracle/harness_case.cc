#include "tests/oracle/harness_case.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "muster/describe/mechanism.h"
#include "muster/numerics/ordered.h"
#include "tests/oracle/known_false.h"
#include "tests/oracle/random_cases.h"

namespace muster::accounting::oracle {
namespace {

constexpr double kRates[] = {0.1, 0.3, 0.5, 0.8};
// Epsilons as fractions of the largest log-ratio.
constexpr double kShares[] = {0, 0.1, 0.3, 0.5, 0.7, 0.85, 0.95, 1};
constexpr double kOrders[] = {2, 3, 5, 20};
constexpr std::size_t kMaxDatasets = 80;

int uniform(int low, int high, std::mt19937_64& engine) {
  if (high < low) throw std::invalid_argument("no number between low and high");
  return low + static_cast<int>(engine() % static_cast<std::uint64_t>(high - low + 1));
}

double uniform(double low, double high, std::mt19937_64& engine) {
  return std::uniform_real_distribution<double>(low, high)(engine);
}

Law normal_cells(double mean, int cells) {
  // Cells of equal width on [-3, 3]; the outer cells are unbounded.
  Law law(static_cast<std::size_t>(cells));
  const auto below = [&](int i) -> long double {
    if (i <= 0) return 0;
    if (i >= cells) return 1;
    return std::erfc(-(-3 + 6.0L * i / cells - mean) / std::sqrt(2.0L)) / 2;
  };
  for (int i = 0; i < cells; ++i) law[static_cast<std::size_t>(i)] = below(i + 1) - below(i);
  return law;
}

// Returns the law of Laplace noise of scale 1/rate around `mean`, rounded to cells of equal width on [0, 1];
// the outer cells are unbounded.
Law laplace_cells(long double mean, long double rate, int cells) {
  Law law(static_cast<std::size_t>(cells));
  const auto below = [&](int i) -> long double {
    if (i <= 0) return 0;
    if (i >= cells) return 1;
    const long double z = rate * (static_cast<long double>(i) / cells - mean);
    return z < 0 ? std::exp(z) / 2 : 1 - std::exp(-z) / 2;
  };
  for (int i = 0; i < cells; ++i) law[static_cast<std::size_t>(i)] = below(i + 1) - below(i);
  return law;
}

// Returns a law whose density relative to the uniform law on `cells` cells lies in [2q, 2p], where
// q = 1 / (e^epsilon0 + 1) and p = 1 - q. It is the law of a half-set if `extreme_point`, and otherwise a
// random mixture of such a law with the uniform law.
Law in_class_c(int cells, double epsilon0, bool extreme_point, std::mt19937_64& engine) {
  const long double q = 1 / (std::exp(static_cast<long double>(epsilon0)) + 1), p = 1 - q;
  std::vector<int> order(static_cast<std::size_t>(cells));
  for (int i = 0; i < cells; ++i) order[static_cast<std::size_t>(i)] = i;
  std::shuffle(order.begin(), order.end(), engine);
  const long double pull = extreme_point ? 1 : uniform(0.0, 1.0, engine);
  Law law(static_cast<std::size_t>(cells));
  for (int i = 0; i < cells; ++i) {
    const long double density = i < cells / 2 ? 2 * p : 2 * q;
    law[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] =
        (1 + pull * (density - 1)) / static_cast<long double>(cells);
  }
  return law;
}

void choose_laws(Case& c, std::mt19937_64& engine) {
  const double epsilon0 = std::exp(uniform(std::log(0.2), std::log(4.0), engine));
  const int records = uniform(2, 3, engine), messages = uniform(2, 3, engine);
  switch (c.kind) {
    case Kind::binary:
      c.laws = {k_rr(2, epsilon0, 0), k_rr(2, epsilon0, 1)};
      c.class_c = epsilon0 * (1 + 1e-15);
      c.exact = epsilon0;
      break;
    case Kind::k_rr: {
      const int k = uniform(3, 4, engine);
      for (int x = 0; x < k; ++x) c.laws.push_back(k_rr(k, epsilon0, x));
      c.exact = epsilon0;
      break;
    }
    case Kind::half_sets:
    case Kind::class_c:
      for (int r = 0; r < records; ++r) {
        c.laws.push_back(in_class_c(4, epsilon0, c.kind == Kind::half_sets, engine));
      }
      c.class_c = epsilon0 * (1 + 1e-15);
      break;
    case Kind::smooth:
      c.laws = random_randomizer(Family::smooth, records, messages, engine);
      break;
    case Kind::extreme:
      c.laws = random_randomizer(Family::extreme, records, messages, engine);
      break;
    case Kind::sparse:
      c.laws = random_randomizer(Family::sparse, records, messages, engine);
      break;
    case Kind::binned_normal:
      c.laws = {normal_cells(-1, 6), normal_cells(0, 6), normal_cells(1, 6)};
      break;
    case Kind::binned_laplace:
      c.exact = epsilon0;
      for (const long double mean : {0.0L, 0.5L, 1.0L}) c.laws.push_back(laplace_cells(mean, epsilon0, 4));
      break;
    case Kind::average:
      c.noise = uniform(0.5, 3.0, engine);
      return;
  }
  for (int x = 0; x < static_cast<int>(c.laws.size()); ++x) {
    for (int y = 0; y < static_cast<int>(c.laws.size()); ++y) {
      // Records of the Gaussian are neighbours at distance 1, which is what "sensitivity 1" means.
      const bool far = c.kind == Kind::binned_normal && std::abs(x - y) != 1;
      if (x != y && !far) c.pairs.emplace_back(x, y);
    }
  }
  c.epsilon0 = static_cast<double>(largest_log_ratio(c.laws)) * (1 + 1e-15) + kMinEpsilon0;
  if (c.class_c > 0) c.epsilon0 = numerics::larger(c.epsilon0, c.class_c);
}

void choose_participation(Case& c, std::mt19937_64& engine) {
  Participation& p = c.participation;
  switch (p.kind) {
    case Participation::Kind::shuffle:
      break;
    case Participation::Kind::subset:
      p.k = uniform(1, c.n - 1, engine);
      break;
    case Participation::Kind::aggregated:
      p.k = c.n - 1;
      break;
    case Participation::Kind::check_in:
      p.rate = kRates[engine() % 4];
      break;
    case Participation::Kind::slots:
    case Participation::Kind::averaged:
      p.slots = uniform(1, 3, engine);
      p.rate = uniform(0, 2, engine) == 0 ? 1 : kRates[engine() % 4];
      break;
    case Participation::Kind::rates: {
      p.low = uniform(0.05, 0.7, engine);
      p.high = uniform(p.low, 0.95, engine);
      for (int j = 0; j < c.n; ++j) {
        const int where = uniform(0, 2, engine);
        p.rates.push_back(where == 0 ? p.low : where == 1 ? p.high : uniform(p.low, p.high, engine));
      }
      break;
    }
  }
}

// Chooses all data sets if they are few and all clients have the same rate. Otherwise chooses the homogeneous
// data sets and random ones.
void choose_datasets(Case& c, std::mt19937_64& engine) {
  const int records = static_cast<int>(c.laws.size());
  const auto others = static_cast<std::size_t>(c.n - 1);
  if (c.participation.kind != Participation::Kind::rates) {
    c.datasets = multisets(records, c.n - 1);
    if (c.datasets.size() <= kMaxDatasets) return;
    c.datasets.clear();
  }
  for (int r = 0; r < records; ++r) c.datasets.emplace_back(others, r);
  const std::size_t wanted = c.participation.kind == Participation::Kind::rates ? 24 : kMaxDatasets;
  while (c.datasets.size() < wanted) {
    std::vector<int> dataset;
    for (std::size_t j = 0; j < others; ++j) dataset.push_back(uniform(0, records - 1, engine));
    if (c.participation.kind != Participation::Kind::rates) std::sort(dataset.begin(), dataset.end());
    c.datasets.push_back(dataset);
  }
  std::sort(c.datasets.begin(), c.datasets.end());  // adjacent data sets then share long prefixes
  c.datasets.erase(std::unique(c.datasets.begin(), c.datasets.end()), c.datasets.end());
}

void choose_grid(Case& c) {
  if (c.kind == Kind::average) {
    c.quantity = Quantity::renyi;
    for (const double order : kOrders) {
      if (order < c.n - 0.5) c.grid.push_back(order);  // the divergence is finite only for order < k + 1
    }
    return;
  }
  if (c.quantity == Quantity::renyi) {
    c.grid.assign(std::begin(kOrders), std::end(kOrders));
    return;
  }
  double top = c.epsilon0;
  if (std::isinf(top)) {  // some probabilities are zero: use the largest finite log-ratio
    top = 0.1;
    for (const Law& x : c.laws) {
      for (const Law& y : c.laws) {
        for (std::size_t w = 0; w < x.size(); ++w) {
          if (x[w] > 0 && y[w] > 0) top = numerics::larger(top, static_cast<double>(std::log(x[w] / y[w])));
        }
      }
    }
  }
  for (const double share : kShares) c.grid.push_back(share * top);
}

const char* name_of(Kind kind) {
  constexpr const char* kNames[] = {"binary",  "k-rr",   "half-sets",     "class-c",        "smooth",
                                    "extreme", "sparse", "binned-normal", "binned-laplace", "average"};
  return kNames[static_cast<int>(kind)];
}

}  // namespace

Case random_case(Kind kind, Participation::Kind participation, int n, std::mt19937_64& engine) {
  Case c;
  c.kind = kind;
  c.n = n;
  c.participation.kind = participation;
  choose_laws(c, engine);
  choose_participation(c, engine);
  if (kind == Kind::average) {
    choose_grid(c);
    return c;
  }
  const bool renyi = std::isfinite(c.epsilon0) && uniform(0, 9, engine) == 0;
  c.quantity = renyi ? Quantity::renyi : Quantity::hockey_stick;
  choose_datasets(c, engine);
  choose_grid(c);
  return c;
}

Case random_case(std::mt19937_64& engine) {
  if (uniform(0, 99, engine) == 0) {
    return random_case(Kind::average, Participation::Kind::aggregated, uniform(4, 12, engine), engine);
  }
  const auto kind = static_cast<Kind>(uniform(0, 8, engine));
  // The largest n for which a case takes less than about ten milliseconds. With K messages, a case has
  // C(n + K, K) histograms.
  int most = 12;
  if (kind == Kind::binned_normal) most = 4;
  if (kind == Kind::half_sets || kind == Kind::class_c || kind == Kind::binned_laplace) most = 8;
  if (kind == Kind::k_rr) most = 10;
  using P = Participation::Kind;
  constexpr P kDraws[] = {P::shuffle,  P::shuffle,  P::shuffle, P::subset, P::subset, P::check_in,
                          P::check_in, P::check_in, P::rates,   P::rates,  P::slots,  P::averaged};
  const P participation = kDraws[engine() % std::size(kDraws)];
  if (participation == P::slots || participation == P::averaged) most = 4;
  return random_case(kind, participation, uniform(2, most, engine), engine);
}

std::string describe(const Case& c) {
  constexpr const char* kParticipation[] = {"shuffle", "subset",   "check-in",  "rates",
                                            "slots",   "averaged", "aggregated"};
  std::ostringstream out;
  out << name_of(c.kind) << " n=" << c.n << " " << kParticipation[static_cast<int>(c.participation.kind)];
  if (c.participation.kind == Participation::Kind::check_in) out << " g=" << c.participation.rate;
  if (c.participation.kind == Participation::Kind::subset) out << " k=" << c.participation.k;
  if (c.participation.slots > 1) out << " m=" << c.participation.slots << " p0=" << c.participation.rate;
  out << " epsilon0=" << c.epsilon0 << (c.quantity == Quantity::renyi ? " renyi" : "");
  return out.str();
}

}  // namespace muster::accounting::oracle
