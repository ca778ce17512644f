// Describes randomizers as their users would, by a table of the profile or by the channel matrix, and
// compares every bound that the accountant lists for the description with all data sets of up to eight
// clients.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/theorems/applicable.h"
#include "tests/oracle/domination.h"
#include "tests/oracle/enumeration.h"
#include "tests/oracle/random_cases.h"

namespace muster::accounting::oracle {
namespace {

using Point = TabulatedProfile::Point;

struct Described {
  std::string name;
  ProfileLocal mechanism;
  std::vector<Law> laws;  // by record; continuous noise is rounded to cells, which is post-processing
  int most_clients;
};

long double upper_normal(long double x) { return 0.5L * std::erfc(x / std::numbers::sqrt2_v<long double>); }

// Returns the law of `mean` plus noise, in cells with these ends; tail(x) is the probability of noise above
// x.
template <typename Tail>
Law cells(long double mean, const std::vector<long double>& ends, const Tail& tail) {
  Law law;
  long double above = 1;
  for (const long double end : ends) {
    law.push_back(above - tail(end - mean));
    above = tail(end - mean);
  }
  law.push_back(above);
  return law;
}

// Returns Gaussian noise of deviation sigma on records in the unit ball. The profile is that of two records
// whose distance is 2 / sigma deviations.
Described gaussian(long double sigma) {
  const long double mu = 2 / sigma;
  std::vector<Point> points;
  for (int i = 0; i <= 300; ++i) {
    const auto alpha = static_cast<double>(std::exp(mu * 9 * i / 300));
    const long double l = std::log(static_cast<long double>(alpha));
    points.push_back(
        {alpha, static_cast<double>(upper_normal(l / mu - mu / 2) - alpha * upper_normal(l / mu + mu / 2))});
  }
  std::vector<Law> laws;
  for (const long double record : {-1.0L, 0.0L, 1.0L}) {
    laws.push_back(cells(record, {-sigma, 0, sigma}, [&](long double x) { return upper_normal(x / sigma); }));
  }
  return {"gaussian", ProfileLocal(TabulatedProfile::of_table(points)), laws, 8};
}

Described laplace(double epsilon0) {
  std::vector<Point> points;
  for (int i = 0; i < 200; ++i) {
    const double alpha = std::exp(epsilon0 * i / 200);
    points.push_back({alpha, -std::expm1((std::log(alpha) - epsilon0) / 2)});
  }
  points.push_back({std::exp(epsilon0) * (1 + 1e-15), 0});
  const auto tail = [&](long double x) {
    return x < 0 ? 1 - std::exp(epsilon0 * x) / 2 : std::exp(-epsilon0 * x) / 2;
  };
  std::vector<Law> laws;
  for (const long double record : {0.0L, 0.5L, 1.0L}) laws.push_back(cells(record, {0, 0.5L, 1}, tail));
  return {"laplace", ProfileLocal(TabulatedProfile::of_table(points)), laws, 8};
}

Described of_matrix(const std::string& name, const std::vector<std::vector<double>>& rows, int most_clients) {
  std::vector<Law> laws;
  for (const std::vector<double>& row : rows) laws.emplace_back(row.begin(), row.end());
  return {name, ProfileLocal(Channel(rows)), laws, most_clients};
}

Described k_rr(std::size_t k, double epsilon0) {
  const double other = 1 / (std::exp(epsilon0) + static_cast<double>(k) - 1);
  std::vector<std::vector<double>> rows(k, std::vector<double>(k, other));
  for (std::size_t x = 0; x < k; ++x) rows[x][x] = std::exp(epsilon0) * other;
  return of_matrix("k-RR", rows, 8);
}

// Returns basic one-time RAPPOR, which sends one bit for each answer and keeps each bit with probability 1 -
// f/2.
Described rappor(unsigned answers, double f, int most_clients) {
  std::vector<std::vector<double>> rows;
  for (unsigned x = 0; x < answers; ++x) {
    std::vector<double> row;
    for (unsigned y = 0; y < 1u << answers; ++y) {
      double probability = 1;
      for (unsigned bit = 0; bit < answers; ++bit) {
        probability *= ((y >> bit & 1) == 1) == (bit == x) ? 1 - f / 2 : f / 2;
      }
      row.push_back(probability);
    }
    rows.push_back(row);
  }
  return of_matrix("RAPPOR", rows, most_clients);
}

// Returns Hadamard response (Acharya, Sun, Zhang 2019). An output is a column of the Hadamard matrix. Columns
// in which an answer's row has +1 are e^epsilon0 times as likely for this answer as the others.
Described hadamard_response(double epsilon0) {
  std::vector<std::vector<double>> rows;
  for (unsigned x = 1; x < 4; ++x) {
    std::vector<double> row;
    for (unsigned y = 0; y < 4; ++y) {
      const bool plus = ((x & y & 1) ^ (x >> 1 & y >> 1 & 1)) == 0;
      row.push_back((plus ? std::exp(epsilon0) : 1) / (2 * std::exp(epsilon0) + 2));
    }
    rows.push_back(row);
  }
  return of_matrix("Hadamard response", rows, 8);
}

std::vector<Described> all() {
  return {gaussian(5),       laplace(1.5),       k_rr(3, 1.2),          k_rr(2, 2),
          rappor(2, 0.5, 8), rappor(3, 0.75, 4), hadamard_response(1.5)};
}

struct Protocol {
  accounting::Participation participation;
  std::function<OutputPair(const std::vector<Law>& others, const Law& a, const Law& b)> truth;
};

std::vector<Protocol> protocols_of(int n) {
  const auto clients = ClientCount::of(static_cast<std::uint64_t>(n));
  std::vector<Protocol> list;
  for (const double rate : {0.3, 0.8, 1.0}) {
    const auto truth = [rate](const auto& others, const Law& a, const Law& b) {
      return check_in(others, a, b, static_cast<long double>(rate));
    };
    list.push_back({ShuffledCheckIn{clients, Rate::of(rate)}, truth});
  }
  const int k = n / 2;
  list.push_back({FixedSubset{clients, static_cast<std::uint64_t>(k)},
                  [k](const auto& others, const Law& a, const Law& b) { return subset(others, a, b, k); }});
  return list;
}

// Returns the smallest upper value of the listed bounds, or 1 if the list is empty.
double best_upper(const Applicable& list, double epsilon) {
  double best = 1;
  for (const RoundBound& bound : list.uppers) best = numerics::smaller(best, bound.delta(epsilon).upper);
  return best;
}

// Adds to `domination` all data sets, all ordered pairs of records and epsilons up to the largest log-ratio,
// for bounds of `mechanism` and messages of `laws`.
void compare(const Mechanism& mechanism, const std::vector<Law>& laws, int n, Domination& domination) {
  const auto top = static_cast<double>(largest_log_ratio(laws));
  for (const Protocol& protocol : protocols_of(n)) {
    const Applicable list = applicable(mechanism, protocol.participation);
    std::vector<double> epsilons, bounds;
    for (const double share : {0.0, 0.2, 0.5, 0.8, 0.97}) {
      epsilons.push_back(share * top);
      bounds.push_back(best_upper(list, share * top));
    }
    for (const std::vector<int>& dataset : multisets(static_cast<int>(laws.size()), n - 1)) {
      std::vector<Law> others;
      for (const int record : dataset) others.push_back(laws[static_cast<std::size_t>(record)]);
      for (const Law& a : laws) {
        for (const Law& b : laws) {
          if (&a == &b) continue;
          const OutputPair pair = protocol.truth(others, a, b);
          for (std::size_t i = 0; i < epsilons.size(); ++i) {
            domination.add(hockey_stick(pair, epsilons[i]), bounds[i]);
          }
        }
      }
    }
  }
}

TEST(OwnRandomizer, NoBoundIsBelowTheTruth) {
  for (const Described& described : all()) {
    Domination domination = {.relative = 1e-15L, .absolute = 1e-16L};
    for (const int n : {2, 3, 5, 8}) {
      if (n <= described.most_clients) compare(described.mechanism, described.laws, n, domination);
    }
    fmt::print("{}: {} cases, truth at most {:.4f} of the bound\n", described.name, domination.cases,
               static_cast<double>(domination.tightest));
    EXPECT_EQ(domination.violations, 0) << described.name << " of " << domination.cases;
    EXPECT_GT(domination.tightest, 0.3L) << described.name;
  }
}

// The same comparison notices a table in which one value is too small, and a matrix whose likelihood ratios
// are too small.
TEST(OwnRandomizer, TheCheckNoticesOneValueThatIsTooSmall) {
  const double epsilon0 = 1.2;
  const Described truth = k_rr(3, epsilon0);
  const double total = std::expm1(epsilon0) / (std::exp(epsilon0) + 2);
  for (const double factor : {1.0, 0.98}) {
    const ProfileLocal table(
        TabulatedProfile::of_table({{1, total * factor}, {std::exp(epsilon0) * (1 + 1e-15), 0}}));
    Domination domination = {.relative = 1e-15L, .absolute = 1e-16L};
    for (const int n : {2, 3, 5}) compare(table, truth.laws, n, domination);
    EXPECT_EQ(domination.violations > 0, factor < 1) << factor << ": " << domination.violations;
  }
  // Makes every symbol but the record's own a little more likely than it truly is, so that the ratios are too
  // small.
  std::vector<std::vector<double>> rows = truth.mechanism.channel()->rows();
  for (std::size_t x = 0; x < 3; ++x) {
    for (std::size_t y = 0; y < 3; ++y) rows[x][y] += x == y ? -0.02 : 0.01;
  }
  Domination domination;
  for (const int n : {2, 3, 5}) compare(ProfileLocal(Channel(rows)), truth.laws, n, domination);
  EXPECT_GT(domination.violations, 0);
}

}  // namespace
}  // namespace muster::accounting::oracle
