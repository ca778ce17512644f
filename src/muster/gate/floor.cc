#include "muster/gate/floor.h"

#include <cmath>
#include <functional>
#include <vector>

#include "muster/gate/floor_arithmetic.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

constexpr double kInward = 1 - numerics::kEightMillionRoundings;
// The relative precision of an epsilon found by search.
constexpr double kNearly = 1e-3;
// Numbers of reports that are less probable than this are left out.
constexpr double kImprobable = 1e-40;
// Numbers of reports up to this one are treated one by one.
constexpr double kFewReports = 40;
// Stands for a probability of 0, so that its logarithm is finite.
constexpr double kNoChance = 1e-300;
// The largest number of Laplace messages for which laplace_sum_tail is used, and a bound on the relative
// error of laplace_sum_tail.
constexpr double kMaxLaplace = 1000, kLaplaceRoom = 1e-7;
// Numbers of reports above kFewReports are treated in intervals. There are this many on either side of the
// mean, each one standard deviation wide.
constexpr int kWindowsAside = 4;

// A bit of a message that is a one with probability a under the victim's record and b under the alternative
// (floor.h).
struct Bit {
  double gap, log_b;  // a lower bound of a - b, and an upper bound of ln b
};

// The one-bit tests that are tried; the best one gives the floor. For Gaussian and Laplace messages the bit
// says on which side of a threshold the message lies. For the Gaussian, some thresholds lie near the middle
// between the two records or up to six deviations beyond it on the victim's side, and others are far out on
// this side. For Laplace noise they lie between the middle and the victim's record.
std::vector<Bit> bits_of(const Mechanism& mechanism, double count, double epsilon) {
  std::vector<Bit> bits;
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    const double mu = gaussian->mu() * (1 - numerics::kThreeRoundings);
    const auto add = [&](double x) { bits.push_back({normal_gap(x, mu), log_upper_normal(x)}); };
    for (const double x : {-0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0}) add(x + mu / 2);
    // Thresholds x that hardly any message passes under the alternative: 1 - Phi(x) is about
    // e^{-epsilon} / count or less.
    for (const double less : {0.0, 1.0, 3.0, 6.0, 12.0}) {
      add(std::sqrt(2 * (epsilon + std::log(count) + less)));
    }
    return bits;
  }
  if (const auto* given = std::get_if<ProfileLocal>(&mechanism)) {
    // A table of the profile bounds it from above alone. For a channel, the bit says whether the message is
    // one of a set of outputs, whose probabilities are sums of the channel's entries.
    if (given->channel() == nullptr) return bits;
    for (const Channel::Test& test : given->channel()->tests()) {
      const double b = larger_known(test.alternative, kNoChance);
      if (test.victim > b) bits.push_back({(test.victim - b) * kInward, std::log(b) + kNoChance});
    }
    return bits;
  }
  const double epsilon0 = *pure_epsilon0(mechanism);
  if (std::holds_alternative<LaplaceLocal>(mechanism)) {
    // The record is 0, the alternative is 1, and the noise has scale 1/epsilon0. The bit is a one if the
    // message is below s.
    for (const double s : {0.0, 0.1, 0.2, 0.3, 0.4, 0.5}) {
      bits.push_back({-0.5 * (std::expm1(-epsilon0 * s) + std::expm1(-epsilon0 * (1 - s))) * kInward,
                      std::log(0.5) - epsilon0 * (1 - s) * (1 - numerics::kEightRoundings)});
    }
    return bits;
  }
  // Every other description covers binary or k-ary randomized response: an epsilon0-LDP randomizer may be
  // binary randomized response, and a sphere or coordinate sampler in one dimension is binary randomized
  // response. The bit is a one if the message is the victim's symbol.
  const auto* response = std::get_if<KRandomizedResponse>(&mechanism);
  const double others = response != nullptr ? static_cast<double>(response->k()) - 1 : 1;
  const double a = 1 / (1 + others * std::exp(-epsilon0));
  bits.push_back(
      {-a * std::expm1(-epsilon0) * kInward, std::log(a) - epsilon0 * (1 - numerics::kEightRoundings)});
  return bits;
}

// The floor if each of `count` messages is present with probability `rate`, and the victim's message is one
// of them and present with probability `chance`.
double of_messages(const Mechanism& mechanism, double count, double rate, double chance, double epsilon) {
  double best = 0;
  for (const Bit& bit : bits_of(mechanism, count, epsilon)) {
    best = larger_known(
        best, binary_test(count, chance * bit.gap * kInward, std::log(rate) * kInward + bit.log_b, epsilon));
  }
  return best;
}

// The floor if `count` clients report with probability `rate` each.
double of_coins(const Mechanism& mechanism, double count, double rate, double epsilon) {
  return of_messages(mechanism, count, rate, rate, epsilon);
}

// The floor if `count` messages are always seen, and the victim's is among them with probability `chance`.
double of_places(const Mechanism& mechanism, double count, double chance, double epsilon) {
  return of_messages(mechanism, count, 1, chance, epsilon);
}

// The floor by a test of the sum of k messages, where the victim's message is among them with probability
// lambda = `present`. Let A be the law of the sum if her message is among them and she holds x, and B the law
// of the sum if all k messages come from x'. So the sum has the law P = lambda A + (1 - lambda) B if she
// holds x, and Q = B if she holds x'. Suppose that the test accepts with probability at most b under B, and
// with a probability larger by at least `gap` under A. Then, with E = e^epsilon,
//     P(accept) - E Q(accept) >= lambda gap - (E - 1) b.
// Returns the right-hand side divided by lambda, but at least 0.
double of_sum(double gap, double b, double present, double epsilon) {
  return larger_known(0, gap - std::expm1(epsilon) / present * b / kInward);
}

double of_gaussian_sum(double mu, double present, double epsilon) {
  // The most powerful test, in the notation of of_sum, accepts if the likelihood ratio of A to B is above
  // 1 + (E - 1)/lambda.
  const double log_ratio = epsilon + std::log1p(-std::expm1(-epsilon) * (1 / present - 1));
  const double x = log_ratio / mu + mu / 2;
  if (epsilon < 1) return of_sum(normal_gap(x, mu), std::exp(log_upper_normal(x)), present, epsilon);
  // The exponent is raised by more than its error. log_ratio is at least 1 here and takes at most eight
  // roundings. The two sums take one rounding each, of a number of at most 1.5 x^2, because x is at least
  // sqrt(2).
  const double lost = log_ratio + log_upper_normal(x) + numerics::kEightRoundings * (log_ratio + x * x);
  return larger_known(0, upper_normal_from_below(x - mu) - std::exp(lost) / kInward);
}

// Bounds, but for rounding errors, of P(S > z) for the sum S of k standard Laplace variables and z >= 0. S
// has the law of T_1 - T_2, where T_1 and T_2 are the times of the k-th events of two independent Poisson
// processes of rate 1. Let j be the number of events of the first process by time z, which is Poisson with
// mean z. Start the second process at time z. Then S > z if j < k and the second process has k events
// before the first has k - j more. Each event belongs to either process with probability 1/2, so a fair
// coin has to show k tails before k - j heads. The lower bound leaves out the j that are far from z. The
// upper bound adds Chernoff's bounds on their probability: P(Poisson(z) <= j) <= e^{j - z - j log(j/z)} for
// j <= z, and the same for P(Poisson(z) >= j) and j >= z.
struct Tail {
  double lower, upper;
};
Tail laplace_sum_tail(double k, double z) {
  double sum = 0;
  const double reach = 12 * std::sqrt(z) + 30;
  const double first = larger_known(0, std::floor(z - reach));
  double j = first;
  for (; j < smaller_known(k, z + reach); ++j) {
    const double events = std::exp(j * std::log(larger_known(z, 1e-300)) - z - std::lgamma(j + 1));
    sum += events * fair_race(k, k - j);
  }
  const auto chernoff = [z](double count) {
    return std::exp(count - z - (count > 0 ? count * std::log(count / z) : 0)) + 1e-300;
  };
  const double before = first > 0 ? chernoff(smaller_known(k, first) - 1) : 0;
  const double beyond = j < k ? chernoff(j) : 0;
  return {sum, sum + before + beyond};
}

// The floor divided by `present`, for the sum of k messages with Laplace noise of scale 1/epsilon0. The
// records x and x' are at distance 1; A, B and E are those of of_sum.
double of_laplace_sum(double epsilon0, double k, double present, double epsilon) {
  double best = 0;
  if (k <= kMaxLaplace) {
    // The test accepts if the sum is more than z above its centre under B, in units of the noise's scale. z
    // is t standard deviations of the sum's noise, but at least epsilon0.
    const double deviation = std::sqrt(2 * k);
    for (const double t : {0.7, 2.0, 4.0}) {
      const double z = larger_known(epsilon0, t * deviation);
      const double b = laplace_sum_tail(k, z).upper * (1 + kLaplaceRoom);
      best = larger_known(best, of_sum(laplace_sum_tail(k, z - epsilon0).lower * (1 - kLaplaceRoom) - b, b,
                                       present, epsilon));
    }
  }
  // One more test, for any k, accepts if the sum is above its centre under A, which is 1 above its centre
  // under B. The law of the sum's noise S is log-concave, and its density at the centre is at least
  // m = 1 / sqrt(12 Var S). So the test accepts with probability 1/2 under A, and with probability
  // P(S > 1) <= e^{-2m} / 2 under B.
  const double exponent = -2 * epsilon0 / std::sqrt(24 * k);
  return larger_known(
      best, of_sum(-0.5 * std::expm1(exponent) * kInward, 0.5 * std::exp(exponent), present, epsilon));
}

// The floor if only the number of reports and their sum are seen, and a round of fewer than `min_reports`
// reports is destroyed. `sum(k, present)` is the floor given that there are k reports and that the victim's
// is among them with probability `present`. It must decrease in k and increase in `present`.
double of_sums(double clients, double rate, double min_reports,
               const std::function<double(double, double)>& sum) {
  double total = 0;
  const auto add = [&](double first, double last) {
    first = larger_known(first, min_reports);
    if (first > last) return;
    const double chance = binomial_window(clients, rate, first, last);
    if (chance > kImprobable) total += chance * sum(last, first / clients);
  };
  double next = 1;
  for (; next <= clients && next <= kFewReports; ++next) add(next, next);
  const double mean = clients * rate, deviation = std::sqrt(mean * (1 - rate));
  for (int i = -kWindowsAside; i < kWindowsAside && next <= clients; ++i) {
    const double first = larger_known(next, std::floor(mean + deviation * i));
    const double last =
        smaller_known(clients, larger_known(first, std::floor(mean + deviation * (i + 1)) - 1));
    if (first > clients) break;
    add(first, last);
    next = last + 1;
  }
  if (rate >= 1 && next <= clients) add(clients, clients);
  return total * kInward;
}

double of_aggregate(const Mechanism& mechanism, double clients, double rate, double min_reports,
                    double epsilon) {
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    const double mu = gaussian->mu() * (1 - numerics::kThreeRoundings);
    return of_sums(clients, rate, min_reports, [&](double k, double present) {
      return present * of_gaussian_sum(mu / std::sqrt(k) * (1 - numerics::kThreeRoundings), present, epsilon);
    });
  }
  if (const auto* laplace = std::get_if<LaplaceLocal>(&mechanism)) {
    return of_sums(clients, rate, min_reports, [&](double k, double present) {
      return present * of_laplace_sum(laplace->epsilon0(), k, present, epsilon);
    });
  }
  // What the sum of messages shows is not known of a randomizer that is given by its profile or channel.
  if (std::holds_alternative<ProfileLocal>(mechanism)) return 0;
  // A sum of signs or of one-hot symbols, together with the number of reports, shows how many messages there
  // are of each symbol. If rounds of few reports are destroyed, the test is made in the other rounds. Given
  // that k of n clients report, the victim is one of them with probability k/n.
  if (min_reports <= 1) return of_coins(mechanism, clients, rate, epsilon);
  return of_sums(clients, rate, min_reports,
                 [&](double k, double present) { return of_places(mechanism, k, present, epsilon); });
}

double count_of(ClientCount clients) { return static_cast<double>(clients.value()); }

// A lower bound of the mean of 1 / (1 + c), c ~ Bin(others, share). The mean is the probability that the
// server picks a given client who checked in at a slot, if each of `others` other clients checked in there
// with probability `share`.
double chance_to_be_picked(double others, double share) {
  const double all = (others + 1) * share;
  return all > 1e-12 ? -std::expm1((others + 1) * std::log1p(-share)) / all * kInward : kInward;
}

double floor_of(const Mechanism& m, const Shuffle& p, View view, double epsilon) {
  const double n = count_of(p.clients());
  return sees_sums_alone(view) ? of_aggregate(m, n, 1, 1, epsilon) : of_coins(m, n, 1, epsilon);
}

double floor_of(const Mechanism& m, const FixedSubset& p, View view, double epsilon) {
  const double n = count_of(p.clients()), k = static_cast<double>(p.subset());
  if (sees_sums_alone(view)) {
    if (const auto* gaussian = std::get_if<GaussianLocal>(&m)) {
      return k / n *
             of_gaussian_sum(gaussian->mu() / std::sqrt(k) * (1 - numerics::kEightRoundings), k / n,
                             epsilon) *
             kInward;
    }
    if (const auto* laplace = std::get_if<LaplaceLocal>(&m)) {
      return k / n * of_laplace_sum(laplace->epsilon0(), k, k / n, epsilon) * kInward;
    }
    if (std::holds_alternative<ProfileLocal>(m)) return 0;
  }
  return of_places(m, k, k / n, epsilon);
}

double floor_of(const Mechanism& m, const ShuffledCheckIn& p, View view, double epsilon) {
  const double n = count_of(p.clients()), g = p.rate().value();
  return sees_sums_alone(view) ? of_aggregate(m, n, g, 1, epsilon) : of_coins(m, n, g, epsilon);
}

// The released models of a slot protocol show each slot's message or, for averaged slots, the sum of each
// slot's messages. Together, the sums of all slots give the sum of a check-in round at the same rate.
double floor_of(const Mechanism& m, const RandomCheckIn& p, View, double epsilon) {
  const double n = count_of(p.clients()), slots = static_cast<double>(p.slots()), g = p.rate().value();
  if (p.kind() == RandomCheckIn::Kind::averaged) return of_aggregate(m, n, g, 1, epsilon);
  // With sliding windows, a slot lies in the windows of at most slots - 1 other clients, however many clients
  // there are.
  const double others = p.kind() == RandomCheckIn::Kind::fixed ? n - 1 : smaller_known(n - 1, slots - 1);
  return of_places(m, slots, g * chance_to_be_picked(others, g / slots), epsilon);
}

double floor_of(const Mechanism& m, const AggregatedCheckIn& p, View, double epsilon) {
  return of_aggregate(m, count_of(p.clients()), p.rate().value(), static_cast<double>(p.minimum()), epsilon);
}

}  // namespace

double floor_delta(const Mechanism& mechanism, const Participation& participation, View view,
                   double epsilon) {
  double best =
      std::visit([&](const auto& p) { return floor_of(mechanism, p, view, epsilon); }, participation);
  if (view == View::shuffler_colludes) {  // the adversary sees the victim's own message
    best = larger_known(best, of_coins(mechanism, 1, message_rate(participation).value(), epsilon));
  }
  return best > 0 ? smaller_known(best, 1) : 0;
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
