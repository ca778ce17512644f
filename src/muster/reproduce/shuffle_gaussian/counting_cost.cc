#include "muster/reproduce/shuffle_gaussian/counting_cost.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <vector>

#include "muster/papers/published/published_shuffle_gaussian.h"
#include "muster/reproduce/estimates.h"

namespace muster::reproduce {

namespace {

namespace published = accounting::published_shuffle_gaussian;

const std::vector<double> kClients = {250, 500, 1000, 2000, 4000};
// The Renyi order that is evaluated; the number of terms does not depend on it.
constexpr std::uint64_t kOrder = 8;
constexpr double kSlack = 0.5;
constexpr int kRepeats = 3;
// Evaluations of Theorem 3 in one measurement; a single one is too short for the clock.
constexpr int kTheorems = 100;

// Returns the least processor time of several runs: whatever else the machine does only adds to it.
double seconds_of(const std::function<double()>& work) {
  double least = 0;
  volatile double used = 0;  // so that the compiler leaves out no work
  for (int i = 0; i < kRepeats; ++i) {
    const std::clock_t start = std::clock();
    used = used + work();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (i == 0 || seconds < least) least = seconds;
  }
  return least;
}

double ratio_at(double clients, double rate, double t) {
  const double every_count = seconds_of([&] {
    double sum = 0;
    for (double k = 1; k <= clients; ++k) sum += published::theorem2(k, rate, t)(kOrder);
    return sum;
  });
  const double two_counts = seconds_of([&] {
    double sum = 0;
    for (int i = 0; i < kTheorems; ++i) sum += published::theorem3(clients, rate, t, kSlack)(kOrder);
    return sum;
  });
  return every_count / (two_counts / kTheorems);
}

}  // namespace

CountingCost counting_cost(double rate, double t) {
  std::vector<double> ratios;
  for (const double clients : kClients) ratios.push_back(ratio_at(clients, rate, t));
  return {kClients.front(), kClients.back(), ratios.front(), ratios.back(),
          exponent_of(kClients, ratios).value};
}

}  // namespace muster::reproduce
