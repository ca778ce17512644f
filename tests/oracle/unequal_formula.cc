#include "tests/oracle/unequal_formula.h"

#include <cmath>
#include <cstdint>
#include <functional>

#include "muster/numerics/ordered.h"

namespace muster::accounting::oracle {
namespace {

// Returns the mean of ( start + sum of weights[i] * X_i )_+ for independent draws X_i of `law`.
long double positive_part(const std::vector<Atom>& law, const std::vector<long double>& weights,
                          long double start) {
  const std::function<long double(std::size_t, long double)> visit = [&](std::size_t i, long double sum) {
    if (i == weights.size()) return numerics::larger(0.0L, sum);
    long double total = 0;
    for (const Atom& atom : law) total += atom.mass * visit(i + 1, sum + weights[i] * atom.value);
    return total;
  };
  return visit(0, start);
}

// Calls `visit` for every set of reporting others, with its members (indices into the others), its
// probability, and the sum of the odds, rate / (1 - rate), of the others outside the set.
void for_each_set(
    const std::vector<long double>& rates,
    const std::function<void(const std::vector<std::size_t>&, long double, long double)>& visit) {
  const std::size_t m = rates.size() - 1;
  for (std::uint64_t set = 0; set < (std::uint64_t{1} << m); ++set) {
    std::vector<std::size_t> members;
    long double probability = 1, odds = 0;
    for (std::size_t j = 0; j < m; ++j) {
      const long double rate = rates[j + 1];
      if (set >> j & 1) {
        members.push_back(j);
        probability *= rate;
      } else {
        probability *= 1 - rate;
        odds += rate / (1 - rate);
      }
    }
    visit(members, probability, odds);
  }
}

long double odds_of(long double rate) { return rate / (1 - rate); }

long double all_report(const std::vector<long double>& rates) {
  long double product = 1;
  for (const long double rate : rates) product *= rate;
  return product;
}

}  // namespace

long double unequal_dataset(const std::vector<Law>& others, const Law& a, const Law& b,
                            const std::vector<long double>& rates, long double epsilon) {
  const long double grown = std::exp(epsilon), mine = rates[0];
  long double total = 0;
  for_each_set(rates, [&](const std::vector<std::size_t>& members, long double probability,
                          long double odds) {
    const std::function<void(std::size_t, long double, long double)> visit =
        [&](std::size_t i, long double density, long double sum) {
          if (i == members.size()) {
            total += probability * density * numerics::larger(0.0L, (1 - mine) * (1 - grown) + mine * sum);
            return;
          }
          const std::size_t j = members[i];
          const Law& u = others[j];
          const long double share = 1 / (odds + odds_of(rates[j + 1]));
          for (std::size_t w = 0; w < u.size(); ++w) {
            if (u[w] > 0) visit(i + 1, density * u[w], sum + share * (a[w] - grown * b[w]) / u[w]);
          }
        };
    visit(0, 1, 0);
    for (const std::size_t j : members) {
      const long double share = 1 / (odds + odds_of(rates[j + 1]));
      for (std::size_t w = 0; w < a.size(); ++w) {
        if (!(others[j][w] > 0))
          total += probability * mine * share * numerics::larger(0.0L, a[w] - grown * b[w]);
      }
    }
  });
  long double last = 0;
  for (std::size_t w = 0; w < a.size(); ++w) last += numerics::larger(0.0L, a[w] - grown * b[w]);
  return total + all_report(rates) * last;
}

long double unequal_profile(const std::vector<Atom>& law, const std::vector<long double>& rates,
                            long double epsilon, long double at_all) {
  const long double mine = rates[0];
  long double total = 0;
  for_each_set(rates,
               [&](const std::vector<std::size_t>& members, long double probability, long double odds) {
                 std::vector<long double> weights;
                 for (const std::size_t j : members) weights.push_back(mine / (odds + odds_of(rates[j + 1])));
                 total += probability * positive_part(law, weights, (1 - mine) * (1 - std::exp(epsilon)));
               });
  return total + all_report(rates) * at_all;
}

long double slot_sum(const std::vector<Atom>& law, const std::vector<long double>& weights, long double p0,
                     long double epsilon) {
  const long double share = p0 / static_cast<long double>(weights.size()), fall = 1 - std::exp(epsilon);
  std::vector<long double> scaled;
  long double start = fall;
  for (const long double weight : weights) {
    scaled.push_back(share * weight);
    start -= share * weight * fall;
  }
  return positive_part(law, scaled, start);
}

long double counted_slot_sum(const std::vector<Atom>& law, int slots, long double p0,
                             const std::vector<long double>& rates_of_others, long double epsilon) {
  std::vector<int> counts(static_cast<std::size_t>(slots), 0);
  long double total = 0;
  const std::function<void(std::size_t, long double)> visit = [&](std::size_t client,
                                                                  long double probability) {
    if (client == rates_of_others.size()) {
      std::vector<long double> weights;
      for (const int count : counts) weights.push_back(1 / (1 + static_cast<long double>(count)));
      total += probability * slot_sum(law, weights, p0, epsilon);
      return;
    }
    const long double rate = rates_of_others[client];
    if (rate < 1) visit(client + 1, probability * (1 - rate));
    for (int& count : counts) {
      ++count;
      visit(client + 1, probability * rate / static_cast<long double>(slots));
      --count;
    }
  };
  visit(0, 1);
  return total;
}

}  // namespace muster::accounting::oracle
