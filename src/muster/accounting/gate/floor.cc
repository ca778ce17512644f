#include "muster/accounting/gate/floor.h"

#include <cmath>
#include <functional>
#include <vector>

#include "muster/accounting/gate/binary_test.h"

namespace muster::accounting {
namespace {

constexpr double kInward = 1 - 1e-9;
constexpr double kNearly = 1e-3;       // of an epsilon that is searched for
constexpr double kImprobable = 1e-40;  // a number of reports that need not be looked at
constexpr double kFewReports = 40;     // numbers of reports that are looked at one by one
constexpr double kMostLaplace = 1000,
                 kLaplaceRoom = 1e-7;  // messages whose sum's law is summed; of its error
constexpr int kWindowsAside = 4;       // stretches of numbers of reports on either side of their mean

// Of a floor, what could not be computed counts as nothing: a NaN never replaces a number.
double larger(double x, double y) { return y > x ? y : x; }
double smaller(double x, double y) { return y < x ? y : x; }

// One bit of a message: how much likelier it is under the record, from below, and the logarithm of its
// probability under the alternative, from above.
struct Bit {
  double gap, log_b;
};

// P(x - mu < Z <= x) from below: no difference of two nearly equal tails.
double normal_gap(double x, double mu) {
  if (mu < 1e-3) {
    const double edge = larger(std::fabs(x), std::fabs(x - mu));
    return mu * std::exp(-edge * edge / 2) / 2.5066282746310007 * kInward;
  }
  return larger(0, upper_normal_from_below(x - mu) - std::exp(log_upper_normal(x)) / kInward);
}

// Bits to try. Thresholds of a noisy number lie between the two records and on the far side of the victim's.
std::vector<Bit> bits_of(const Mechanism& mechanism, double count, double epsilon) {
  std::vector<Bit> bits;
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    const double mu = gaussian->mu() * (1 - 4e-16);
    const auto add = [&](double x) { bits.push_back({normal_gap(x, mu), log_upper_normal(x)}); };
    for (const double x : {-0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0}) add(x + mu / 2);
    // Where hardly a message of the alternative passes: 1 - Phi(x) about e^{-eps} / N and less.
    for (const double less : {0.0, 1.0, 3.0, 6.0, 12.0}) {
      add(std::sqrt(2 * (epsilon + std::log(count) + less)));
    }
    return bits;
  }
  const double epsilon0 = *pure_epsilon0(mechanism);
  if (std::holds_alternative<LaplaceLocal>(mechanism)) {
    // The record at 0, the alternative at 1, noise of scale 1/epsilon0: below s.
    for (const double s : {0.0, 0.1, 0.2, 0.3, 0.4, 0.5}) {
      bits.push_back({-0.5 * (std::expm1(-epsilon0 * s) + std::expm1(-epsilon0 * (1 - s))) * kInward,
                      std::log(0.5) - epsilon0 * (1 - s) * (1 - 1e-15)});
    }
    return bits;
  }
  // Randomized response: the true symbol. Every epsilon0-LDP randomizer of one bit, and every sphere or
  // coordinate sampler in one dimension, is no more private than binary randomized response.
  const auto* response = std::get_if<KRandomizedResponse>(&mechanism);
  const double others = response != nullptr ? static_cast<double>(response->k) - 1 : 1;
  const double a = 1 / (1 + others * std::exp(-epsilon0));
  bits.push_back({-a * std::expm1(-epsilon0) * kInward, std::log(a) - epsilon0 * (1 - 1e-15)});
  return bits;
}

// N messages, each there with probability `rate`; the victim's among them with probability `chance`.
double of_messages(const Mechanism& mechanism, double count, double rate, double chance, double epsilon) {
  double best = 0;
  for (const Bit& bit : bits_of(mechanism, count, epsilon)) {
    best = larger(
        best, binary_test(count, chance * bit.gap * kInward, std::log(rate) * kInward + bit.log_b, epsilon));
  }
  return best;
}

// N clients report with probability g.
double of_coins(const Mechanism& mechanism, double count, double rate, double epsilon) {
  return of_messages(mechanism, count, rate, rate, epsilon);
}

// N messages are seen for certain, and the victim's is among them with probability w.
double of_places(const Mechanism& mechanism, double count, double chance, double epsilon) {
  return of_messages(mechanism, count, 1, chance, epsilon);
}

// The sum of k messages, the victim among them with probability `present` (lambda): P = lambda A + (1 -
// lambda) B against Q = B. For a test passed with probabilities at least `gap` apart under A and B and at
// most b under B,
//     P - E Q = lambda gap - (E - 1) b,      here over lambda.
double of_sum(double gap, double b, double present, double epsilon) {
  return larger(0, gap - std::expm1(epsilon) / present * b / kInward);
}

double of_gaussian_sum(double mu, double present, double epsilon) {
  // The most powerful test: the likelihood ratio of A and B passes 1 + (E - 1)/lambda.
  const double log_ratio = epsilon + std::log1p(-std::expm1(-epsilon) * (1 / present - 1));
  const double x = log_ratio / mu + mu / 2;
  if (epsilon < 1) return of_sum(normal_gap(x, mu), std::exp(log_upper_normal(x)), present, epsilon);
  const double lost = log_ratio + log_upper_normal(x) + 1e-15 * (log_ratio + x * x);
  return larger(0, upper_normal_from_below(x - mu) - std::exp(lost) / kInward);
}

// P(S > z) of the sum S of k standard Laplace variables, z >= 0: the difference of two Gamma(k) times is a
// race of two Poisson processes, so with j events of the first by time z it is Poisson(z; j) times the
// chance that a fair coin shows k tails before k - j heads.
double laplace_sum_tail(double k, double z) {
  double sum = 0;
  const double reach = 12 * std::sqrt(z) + 30;
  for (double j = larger(0, std::floor(z - reach)); j < smaller(k, z + reach); ++j) {
    const double events = std::exp(j * std::log(larger(z, 1e-300)) - z - std::lgamma(j + 1));
    sum += events * fair_race(k, k - j);
  }
  return sum;
}

// Noise of scale 1/epsilon0 on records at distance 1, k - 1 of them at the alternative's.
double of_laplace_sum(double epsilon0, double k, double present, double epsilon) {
  double best = 0;
  if (k <= kMostLaplace) {
    // The sum passes t: a little beyond the centre, and up to several deviations out.
    const double deviation = std::sqrt(2 * k);
    for (const double t : {0.7, 2.0, 4.0}) {
      const double z = larger(epsilon0, t * deviation);
      const double b = laplace_sum_tail(k, z) * (1 + kLaplaceRoom);
      best = larger(best,
                    of_sum(laplace_sum_tail(k, z - epsilon0) * (1 - kLaplaceRoom) - b, b, present, epsilon));
    }
  }
  // S is log-concave, its density at the centre at least 1 / sqrt(12 Var S) = m: P(S > 1) <= e^{-2m} / 2.
  const double beyond = std::exp(-2 * epsilon0 / std::sqrt(24 * k));
  return larger(best, of_sum(0.5 * (1 - beyond) * kInward, 0.5 * beyond, present, epsilon));
}

// Only the number of reports and their sum are seen; a round of fewer than `least` is destroyed. `sum(k,
// present)`: the floor given k reports, the victim among them with that probability; it falls with k at
// equal presence, and rises with presence.
double of_sums(double clients, double rate, double least, const std::function<double(double, double)>& sum) {
  double total = 0;
  const auto add = [&](double first, double last) {
    first = larger(first, least);
    if (first > last) return;
    const double chance = binomial_window(clients, rate, first, last);
    if (chance > kImprobable) total += chance * sum(last, first / clients);
  };
  double next = 1;
  for (; next <= clients && next <= kFewReports; ++next) add(next, next);
  const double mean = clients * rate, deviation = std::sqrt(mean * (1 - rate));
  for (int i = -kWindowsAside; i < kWindowsAside && next <= clients; ++i) {
    const double first = larger(next, std::floor(mean + deviation * i));
    const double last = smaller(clients, larger(first, std::floor(mean + deviation * (i + 1)) - 1));
    if (first > clients) break;
    add(first, last);
    next = last + 1;
  }
  if (rate >= 1 && next <= clients) add(clients, clients);
  return total * kInward;
}

double of_aggregate(const Mechanism& mechanism, double clients, double rate, double least, double epsilon) {
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    const double mu = gaussian->mu() * (1 - 4e-16);
    return of_sums(clients, rate, least, [&](double k, double present) {
      return present * of_gaussian_sum(mu / std::sqrt(k) * (1 - 4e-16), present, epsilon);
    });
  }
  if (const auto* laplace = std::get_if<LaplaceLocal>(&mechanism)) {
    return of_sums(clients, rate, least, [&](double k, double present) {
      return present * of_laplace_sum(laplace->epsilon0, k, present, epsilon);
    });
  }
  // Sums of signs, or of one-hot symbols, with their number: the counts. Where few reports are destroyed,
  // the counts of the rounds that are not: given k reports, k places of which the victim has one with
  // probability k/n.
  if (least <= 1) return of_coins(mechanism, clients, rate, epsilon);
  return of_sums(clients, rate, least,
                 [&](double k, double present) { return of_places(mechanism, k, present, epsilon); });
}

double count_of(ClientCount clients) { return static_cast<double>(clients.value()); }

// E[1 / (1 + c)], c ~ Bin(others, share): the chance that the server picks a given client of a slot.
double chance_to_be_picked(double others, double share) {
  const double all = (others + 1) * share;
  return all > 1e-12 ? -std::expm1((others + 1) * std::log1p(-share)) / all * kInward : kInward;
}

double floor_of(const Mechanism& m, const Shuffle& p, View view, double epsilon) {
  const double n = count_of(p.clients);
  return view == View::sum_only ? of_aggregate(m, n, 1, 1, epsilon) : of_coins(m, n, 1, epsilon);
}

double floor_of(const Mechanism& m, const FixedSubset& p, View view, double epsilon) {
  const double n = count_of(p.clients), k = static_cast<double>(p.subset);
  if (view == View::sum_only) {
    if (const auto* gaussian = std::get_if<GaussianLocal>(&m)) {
      return k / n * of_gaussian_sum(gaussian->mu() / std::sqrt(k) * (1 - 1e-15), k / n, epsilon) * kInward;
    }
    if (const auto* laplace = std::get_if<LaplaceLocal>(&m)) {
      return k / n * of_laplace_sum(laplace->epsilon0, k, k / n, epsilon) * kInward;
    }
  }
  return of_places(m, k, k / n, epsilon);
}

double floor_of(const Mechanism& m, const ShuffledCheckIn& p, View view, double epsilon) {
  const double n = count_of(p.clients), g = p.rate.value();
  return view == View::sum_only ? of_aggregate(m, n, g, 1, epsilon) : of_coins(m, n, g, epsilon);
}

// The released models of a slot protocol show each slot's message, or its multiset.
double floor_of(const Mechanism& m, const RandomCheckIn& p, View, double epsilon) {
  const double n = count_of(p.clients), slots = static_cast<double>(p.slots), g = p.rate.value();
  if (p.kind == RandomCheckIn::Kind::averaged) return of_coins(m, n, g, epsilon);
  // In a sliding window as many others as a window holds share each slot, whoever else there is.
  const double others = p.kind == RandomCheckIn::Kind::fixed ? n - 1 : smaller(n - 1, slots - 1);
  return of_places(m, slots, g * chance_to_be_picked(others, g / slots), epsilon);
}

double floor_of(const Mechanism& m, const AggregatedCheckIn& p, View, double epsilon) {
  return of_aggregate(m, count_of(p.clients), p.rate.value(), static_cast<double>(p.minimum), epsilon);
}

}  // namespace

double floor_delta(const Mechanism& mechanism, const Participation& participation, View view,
                   double epsilon) {
  double best =
      std::visit([&](const auto& p) { return floor_of(mechanism, p, view, epsilon); }, participation);
  if (view == View::shuffler_colludes) {  // her own message, when she sends one
    best = larger(best, of_coins(mechanism, 1, message_rate(participation).value(), epsilon));
  }
  return best > 0 ? smaller(best, 1) : 0;
}

double floor_epsilon(const Mechanism& mechanism, const Participation& participation, View view,
                     double delta) {
  const auto reached = [&](double epsilon) {
    return floor_delta(mechanism, participation, view, epsilon) >= delta;
  };
  if (!reached(0)) return 0;
  double low = 0, high = 1e-3;
  while (!reached(high) && high > 1e-20) high /= 16;
  while (reached(high) && high < 1e18) low = high, high *= 2;
  while (high - low > kNearly * high) {
    const double middle = low + (high - low) / 2;
    (reached(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace muster::accounting
