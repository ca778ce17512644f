#include "muster/reproduce/shuffled_check_in/conversion_times.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <vector>

#include "muster/papers/conversions/rdp_to_dp.h"
#include "muster/papers/published/published_check_in.h"
#include "muster/papers/renyi/renyi_route.h"
#include "muster/papers/renyi/subsampled_rdp.h"
#include "muster/papers/renyi/subsampled_shuffle_rdp.h"

namespace muster::reproduce {
namespace {

namespace published = accounting::published_check_in;
using accounting::Guarantee;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kCellDeviations = 0.5;  // as published_check_in.cc has it

struct WeightedCount {
  double k, log_weight;
};

double log_binomial(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

std::vector<WeightedCount> counts(double n, double rate, CountSum sum) {
  std::vector<WeightedCount> all;
  if (sum == CountSum::cells) {
    for (const accounting::CountCell& cell : accounting::count_cells(n, rate, kCellDeviations)) {
      if (cell.weight > 0) all.push_back({cell.k, std::log(cell.weight)});
    }
    return all;
  }
  for (double k = 0; k <= n; ++k) {
    all.push_back({k, log_binomial(n, k) + k * std::log(rate) + (n - k) * std::log1p(-rate)});
  }
  return all;
}

// Computes epsilon at single orders and counts the evaluations of Lemma 3.
class EpsilonAtOrders {
 public:
  EpsilonAtOrders(const ConversionTask& task, Approach approach, CountSum sum)
      : task_(task), approach_(approach), counts_(counts(task.clients, task.rate, sum)) {}

  double at(std::uint64_t order) {
    double log_moment = -kInfinity;
    for (const WeightedCount& count : counts_) {
      // Without a report the divergence is 0.
      const double divergence = count.k >= 1 ? given(count.k, order) : 0.0;
      log_moment = accounting::rdp_detail::log_sum(
          log_moment, count.log_weight + (static_cast<double>(order) - 1) * divergence);
    }
    const double one_round = std::max(0.0, log_moment / (static_cast<double>(order) - 1));
    return accounting::epsilon_upper_from_rdp(accounting::Conversion::canonne, static_cast<double>(order),
                                              static_cast<double>(task_.rounds) * one_round, task_.delta);
  }
  double evaluations() const { return evaluations_; }

 private:
  double lemma_3(std::uint64_t order, const Guarantee& guarantee) {
    ++evaluations_;
    return published::lemma3_meant(static_cast<double>(order), guarantee);
  }

  // Returns the divergence given k reports.
  double given(double k, std::uint64_t order) {
    const Guarantee shuffled = published::shuffled(k, task_.local, task_.delta);
    if (approach_ == Approach::subsampled_shuffling) {
      return lemma_3(order, accounting::subsampled(shuffled, task_.rate));
    }
    const accounting::SubsampledRdp subsampled(task_.rate,
                                               [&](std::uint64_t j) { return lemma_3(j, shuffled); });
    return subsampled.theorem(order);
  }

  ConversionTask task_;
  Approach approach_;
  std::vector<WeightedCount> counts_;
  double evaluations_ = 0;
};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const std::function<void()>& compute) {
  const double start = thread_seconds();
  compute();
  return thread_seconds() - start;
}

// Returns the CPU time of one evaluation of Lemma 3, averaged over the orders that the recipes use.
double seconds_of_evaluation() {
  constexpr std::uint64_t kLastOrder = 256;
  double sum = 0;
  const double seconds = seconds_of([&] {
    for (std::uint64_t order = 2; order <= kLastOrder; ++order) {
      sum += published::lemma3_meant(static_cast<double>(order), {1, 1e-6});
    }
  });
  // The comparison keeps the compiler from leaving out the evaluations.
  return sum >= 0 ? seconds / static_cast<double>(kLastOrder - 1) : kInfinity;
}

}  // namespace

std::uint64_t order_by_bisection(const std::function<double(std::uint64_t order)>& epsilon,
                                 std::uint64_t last_order) {
  std::uint64_t low = 2, high = last_order;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (epsilon(middle) <= epsilon(middle + 1)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

Converted convert(const ConversionTask& task, Approach approach, OrderSearch search, CountSum sum) {
  EpsilonAtOrders epsilon(task, approach, sum);
  Converted best{kInfinity, 2, 0};
  if (search == OrderSearch::every_order) {
    for (std::uint64_t order = 2; order <= task.last_order; ++order) {
      const double value = epsilon.at(order);
      if (value < best.epsilon) best = {value, order, 0};
    }
  } else {
    const std::uint64_t order =
        order_by_bisection([&](std::uint64_t l) { return epsilon.at(l); }, task.last_order);
    best = {epsilon.at(order), order, 0};
  }
  best.evaluations = epsilon.evaluations();
  return best;
}

double equation_7(double epsilon0, double clients, double rate, double slack, std::uint64_t order,
                  double& terms) {
  using accounting::rdp_detail::log_sum;
  const double l = static_cast<double>(order), mean = clients * rate;
  const double few = std::floor((1 - slack) * mean), crowd = std::floor(few / (2 * epsilon0)) + 1;
  const double log_miss = -slack * slack * mean / 2;  // Chernoff's bound on the probability of few reports
  const double c = 2 * std::sinh(epsilon0);           // (e^(2 epsilon0) - 1) / e^epsilon0
  const double log_gap = std::log(std::expm1(epsilon0)), log_rate = std::log(rate);

  double log_excess = std::log(4.0) + log_binomial(l, 2) + 2 * log_rate + 2 * log_gap - epsilon0 +
                      log_sum(log_miss, -std::log(crowd));
  for (double j = 3; j <= l; ++j, ++terms) {
    const double log_term = log_binomial(l, j) + j * log_rate + std::log(j) + std::lgamma(j / 2) +
                            j / 2 * std::log(2 * c * c) + log_sum(log_miss, -j / 2 * std::log(crowd));
    log_excess = log_sum(log_excess, log_term);
  }
  const double power = l * std::log1p(rate * c), linear = l * rate * c;
  const double log_upsilon = power + std::log1p(-(1 + linear) * std::exp(-power));
  log_excess = log_sum(log_excess, log_upsilon + log_sum(log_miss, -few / (8 * epsilon0)));
  return accounting::rdp_detail::divergence_from_log_excess(order, log_excess);
}

Spread timed_in_evaluations(const std::function<void()>& compute) {
  constexpr int kRepeats = 3;
  Spread spread{kInfinity, 0};
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const double unit = seconds_of_evaluation(), cost = seconds_of(compute) / unit;
    spread = {std::min(spread.low, cost), std::max(spread.high, cost)};
  }
  return spread;
}

}  // namespace muster::reproduce
