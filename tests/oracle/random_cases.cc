#include "tests/oracle/random_cases.h"

#include <cmath>
#include <functional>

#include "muster/numerics/ordered.h"

namespace muster::accounting::oracle {

std::vector<Law> random_randomizer(Family family, int records, int messages, std::mt19937_64& engine) {
  std::exponential_distribution<double> weight(1.0);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Law> laws;
  Law base(static_cast<std::size_t>(messages));
  for (long double& x : base) x = weight(engine) + 0.05;
  const double spread = 0.5 + 2 * uniform(engine);
  for (int r = 0; r < records; ++r) {
    Law law = base;
    for (long double& x : law) {
      if (family == Family::smooth) x *= std::exp(spread * (uniform(engine) - 0.5L));
      if (family == Family::extreme) x *= uniform(engine) < 0.5 ? std::exp(spread) : 1;
      if (family == Family::sparse) x *= uniform(engine) < 0.3 ? 0 : weight(engine);
    }
    long double total = 0;
    for (const long double x : law) total += x;
    if (!(total > 0)) law = base, total = 1;
    for (long double& x : law) x /= total;
    if (!(law[0] >= 0)) law = base;
    laws.push_back(law);
  }
  for (Law& law : laws) {
    long double total = 0;
    for (const long double x : law) total += x;
    for (long double& x : law) x /= total;
  }
  return laws;
}

long double largest_log_ratio(const std::vector<Law>& laws) {
  long double most = 0;
  for (const Law& x : laws) {
    for (const Law& y : laws) most = numerics::larger(most, log_ratio(x, y));
  }
  return most;
}

std::vector<std::vector<int>> multisets(int records, int size) {
  std::vector<std::vector<int>> all;
  std::vector<int> current;
  const std::function<void(int)> visit = [&](int from) {
    if (static_cast<int>(current.size()) == size) {
      all.push_back(current);
      return;
    }
    for (int r = from; r < records; ++r) {
      current.push_back(r);
      visit(r);
      current.pop_back();
    }
  };
  visit(0);
  return all;
}

long double worst_check_in(const std::vector<Law>& laws, int n, long double rate, long double epsilon) {
  long double worst = 0;
  for (const std::vector<int>& dataset : multisets(static_cast<int>(laws.size()), n - 1)) {
    std::vector<Law> others;
    for (const int record : dataset) others.push_back(laws[static_cast<std::size_t>(record)]);
    for (const Law& a : laws) {
      for (const Law& b : laws) {
        if (&a != &b) worst = numerics::larger(worst, hockey_stick(check_in(others, a, b, rate), epsilon));
      }
    }
  }
  return worst;
}

}  // namespace muster::accounting::oracle
