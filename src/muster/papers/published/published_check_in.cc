#include "muster/papers/published/published_check_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "muster/accounting/timed.h"
#include "muster/numerics/binomial_blocks.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/papers/renyi/renyi_route.h"
#include "muster/papers/renyi/subsampled_rdp.h"
#include "muster/papers/renyi/subsampled_shuffle_rdp.h"

namespace muster::accounting {
namespace published_check_in {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  const double high = numerics::larger(a, b);
  return std::isinf(high) ? high : high + std::log1p(std::exp(numerics::smaller(a, b) - high));
}

// Returns the logarithm of the minimum in equation (4), over the printed range r in (delta, 1). The moment is
// convex in r, so a golden-section search finds it.
double log_minimum(double order, const Guarantee& guarantee) {
  const double delta = guarantee.delta;
  if (!(delta > 0)) return (1 - order) * guarantee.epsilon;  // the limit r -> 0
  if (!(delta < 1)) return kInfinity;       // no r is left, and a pair with delta = 1 has disjoint supports
  const auto log_sum = [&](double log_y) {  // the logarithm of the moment at r = delta + y
    const double y = std::exp(log_y), r = delta + y;
    const double first = order * std::log(r) + (1 - order) * log_y;
    if (!(r < 1)) return first;
    const double rest =
        guarantee.epsilon < 700 ? std::log(std::exp(guarantee.epsilon) - y) : guarantee.epsilon;
    return log_add(first, order * std::log1p(-r) + (1 - order) * rest);
  };
  double low = std::log(delta) - 40 - std::log(order), high = std::log1p(-delta);
  constexpr double kGolden = 0.6180339887498949;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = log_sum(left), at_right = log_sum(right);
  for (int i = 0; i < 60; ++i) {
    if (at_left < at_right) {
      high = right, right = left, at_right = at_left;
      left = high - kGolden * (high - low), at_left = log_sum(left);
    } else {
      low = left, left = right, at_left = at_right;
      right = low + kGolden * (high - low), at_right = log_sum(right);
    }
  }
  return log_sum(low + (high - low) / 2);
}

}  // namespace

double lemma3_printed(double order, const Guarantee& guarantee) {
  return std::exp(log_minimum(order, guarantee));
}

double lemma3_meant(double order, const Guarantee& guarantee) {
  return numerics::larger(0.0, guarantee.epsilon + log_minimum(order, guarantee) / (order - 1));
}

Guarantee shuffled(double k, const Guarantee& local, double free_delta) {
  const double e0 = local.epsilon;
  if (!(k >= 1) || !(e0 <= std::log(k / (16 * std::log(2 / free_delta))))) {
    return {e0, local.delta};
  }
  const double grown = std::exp(e0);
  const double gain = 8 * std::sqrt(grown * std::log(4 / free_delta) / k) + 8 * grown / k;
  const double epsilon = std::log1p(std::tanh(e0 / 2) * gain);
  const double delta = free_delta + (std::exp(epsilon) + 1) * (1 + std::exp(-e0) / 2) * k * local.delta;
  return {epsilon, delta};
}

double theorem2_printed(double epsilon0, double clients, double rate, double slack, std::uint64_t order) {
  const double mean = clients * rate, below = std::floor((1 - slack) * mean);
  const double crowd = std::floor(below / (2 * epsilon0)) + 1;
  const double few = rdp_detail::log_excess(order, rate, epsilon0, 1, 0) - slack * slack * mean / 2;
  const double many = rdp_detail::log_excess(order, rate, epsilon0, crowd, below / (8 * epsilon0));
  return rdp_detail::divergence_from_log_excess(order, rdp_detail::log_sum(few, many));
}

Guarantee high_count_round(double clients, double rate, const Guarantee& local, double miss) {
  double quantile = 0;
  // The weights are upper bounds, so the probability above the quantile is certainly at most `miss`.
  std::vector<numerics::BinomialBlock> blocks = numerics::binomial_blocks(
      clients, rate, numerics::larger(40.0, 5 - std::log(miss)), clients > 1e8 ? 0.01 : 0);
  std::sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  double above = 0;
  for (const numerics::BinomialBlock& block : blocks) {
    above += block.weight;
    if (above * (1 + numerics::kEightThousandRoundings) > miss) {
      quantile = block.last;
      break;
    }
  }
  Guarantee round = subsampled(local, quantile / clients);
  round.delta += miss * (1 + numerics::kEightThousandRoundings);
  return round;
}

double lemma4(const std::function<double(double)>& f, double clients, double rate, double slack) {
  const double mean = clients * rate;
  return f(1) * std::exp(-slack * slack * mean / 2) + f(std::floor((1 - slack) * mean) + 1);
}

double lemma5(const std::function<double(double)>& f, double clients, double rate, double slack) {
  const double mean = clients * rate, last = numerics::smaller(clients, std::floor((1 + slack) * mean));
  double sum = f(last + 1) * std::exp(-slack * slack * mean / (2 + slack));
  for (const CountCell& cell : count_cells(clients, rate, 0)) {
    if (cell.k >= 1 && cell.k <= last) sum += cell.weight * f(cell.k);
  }
  return sum;
}

double removal_moment_printed(double k, double s, double order) {
  return std::exp((order * std::log(k + 1) - std::log(k + order) - (order - 1) * std::log(k)) / 2 -
                  (order + 1) / (s * s * (k + 1)));
}

double removal_moment(double k, double s, double order) {
  if (!(order < k + 1)) return kInfinity;
  return std::exp(order / 2 * std::log(k / (k + 1)) + std::log((k + 1) / (k + 1 - order)) / 2 +
                  order * (order - 1) * k / (2 * s * s * (k + 1) * (k + 1 - order)));
}

double theorem5_printed(double clients, double rate, double s, std::uint64_t order) {
  const double n = clients, g = rate;
  const auto l = static_cast<double>(order);
  const auto choose = [&](double j) {
    return std::exp(std::lgamma(l + 1) - std::lgamma(j + 1) - std::lgamma(l - j + 1));
  };
  // The printed sums over k have the weights P(Bin(n-1, g) = k), multiplied by the powers of g and 1-g below.
  const double nobody = std::exp((n - 1) * std::log1p(-g));
  double sum = std::pow(1 - g, l - 1) * (l * g - g + 1);
  sum += choose(2) * nobody * std::pow(1 - g, l - 2) * g * g * std::exp(1 / (s * s));
  for (double j = 3; j <= l; ++j) {
    sum += 3 * choose(j) * std::pow(g, l - j) * std::pow(1 - g, j) * nobody *
           std::exp(j * (j - 1) / (2 * s * s));
  }
  for (const CountCell& cell : count_cells(n - 1, g, n > 1e7 ? 0.02 : 0)) {
    if (cell.k < 1) continue;
    sum += choose(2) * cell.weight * g * g * std::pow(1 - g, l - 2) * removal_moment_printed(cell.k, s, 2);
    for (double j = 3; j <= l; ++j) {
      sum += 3 * choose(j) * cell.weight * std::pow(g, l - j) * std::pow(1 - g, j) *
             removal_moment_printed(cell.k, s, j);
    }
  }
  return std::log(sum) / (1 - l);
}

}  // namespace published_check_in

namespace {

using published_check_in::lemma3_meant;
using published_check_in::shuffled;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSlack = 0.5;  // the paper's Delta; its Remark 1 says "we typically use Delta = 1/2"
// The approaches and the baseline use no higher order, to save time: for each cell of the count, Approach 1
// sums over all orders up to the one asked for.
constexpr std::uint64_t kLastOrder = 256;

const char* const kLiew =
    "Liew, Hasegawa, Takahashi, Shuffled check-in: privacy amplification towards practical distributed "
    "learning, 2022, ";
const char* const kLemma3 =
    "its Lemma 3 turns (epsilon, delta) into a Renyi divergence, which no formula can do: P(A) = 1e-5, Q(A) "
    "= "
    "1e-100 is (0, 1e-5)-DP with divergence 207 at order 2; at delta = 0 the lemma calls every epsilon-DP "
    "mechanism perfectly private";

// Returns the value of `free_delta` in shuffled() and of `miss` in high_count_round(). The paper does not say
// how to choose them. Here both are the question's delta, or 1e-6 if the question asks for delta.
double free_delta(const Question& question) { return question.asks_epsilon() ? question.fixed() : 1e-6; }

// Returns the divergence of one round by equation (6): given(k, order), the divergence of a round with k
// reports, mixed over k.
Divergence mixed_over_count(double clients, double rate,
                            const std::function<double(double k, std::uint64_t order)>& given) {
  // Cells are half a deviation wide. If a hundred reports or more are expected, this changes the answer by
  // less than one per cent.
  const auto cells = count_cells(clients, rate, 0.5);
  return [cells, given](std::uint64_t order) {
    if (order > kLastOrder) return kInfinity;
    double log_moment = -kInfinity;
    for (const CountCell& cell : cells) {
      if (!(cell.weight > 1e-300)) continue;
      const double d = cell.k >= 1 ? given(cell.k, order) : 0.0;
      log_moment =
          rdp_detail::log_sum(log_moment, std::log(cell.weight) + (static_cast<double>(order) - 1) * d);
    }
    return numerics::larger(0.0, log_moment / (static_cast<double>(order) - 1));
  };
}

Bound as_published(Bound bound, const std::string& what) {
  bound.validity = Validity::as_published;
  bound.citation = std::string(kLiew) + what;
  return bound;
}

// Returns the Bound of either approach of Section 4.2, made from its `divergence`.
Bound approach(const char* id, const char* where, double free, const Divergence& divergence,
               std::uint64_t rounds, const Question& question) {
  Bound bound = answer_by_renyi(divergence, rounds, question, Conversion::canonne);
  bound.id = id;
  bound.assumptions.push_back(kLemma3);
  bound.assumptions.push_back("inclusion probability taken for the rate, not k/n; orders up to 256");
  bound.assumptions.push_back(
      fmt::format("free delta of the shuffling theorem {:.3g}; the paper names none", free));
  return as_published(std::move(bound), where);
}

}  // namespace

Bound liew_theorem2_printed_bound(double clients, double rate, double epsilon0, std::uint64_t rounds,
                                  const Question& question, Conversion conversion) {
  Bound bound = answer_by_renyi(
      [&](std::uint64_t l) {
        return published_check_in::theorem2_printed(epsilon0, clients, rate, kSlack, l);
      },
      rounds, question, conversion);
  bound.id = "liew-2022-theorem-2-printed" + std::string(id_suffix(conversion));
  bound.assumptions.push_back(
      "false: printed constants 2 epsilon0 and 8 epsilon0 must be 2 e^epsilon0 and 8 e^epsilon0, and the "
      "inclusion probability given k reports is k/n, not the rate");
  bound.assumptions.push_back("Chernoff slack Delta = 1/2, as in the paper");
  return as_published(std::move(bound), std::string("Theorem 2 as printed") + citation_suffix(conversion));
}

Bound liew_approach1_bound(double clients, double rate, const Guarantee& local, std::uint64_t rounds,
                           const Question& question) {
  const double free = free_delta(question);
  // For each count k, Theorem 9 of subsampled_rdp.h is applied to the divergences of Lemma 3.
  std::map<double, SubsampledRdp> of_count;
  const auto given = [&](double k, std::uint64_t order) {
    const auto lemma3 = [&, k](std::uint64_t j) {
      return lemma3_meant(static_cast<double>(j), shuffled(k, local, free));
    };
    return of_count.try_emplace(k, rate, lemma3).first->second.theorem(order);
  };
  return approach("liew-2022-approach-1", "Section 4.2, Approach 1 (shuffling conversion)", free,
                  mixed_over_count(clients, rate, given), rounds, question);
}

Bound liew_approach2_bound(double clients, double rate, const Guarantee& local, std::uint64_t rounds,
                           const Question& question) {
  const double free = free_delta(question);
  const auto given = [&](double k, std::uint64_t order) {
    return lemma3_meant(static_cast<double>(order), subsampled(shuffled(k, local, free), rate));
  };
  return approach("liew-2022-approach-2", "Section 4.2, Approach 2 (subsampled shuffling conversion)", free,
                  mixed_over_count(clients, rate, given), rounds, question);
}

Bound liew_baseline_bound(double clients, double rate, const Guarantee& local, std::uint64_t rounds,
                          const Question& question) {
  const double miss = free_delta(question);
  const Guarantee round = published_check_in::high_count_round(clients, rate, local, miss);
  Bound bound = answer_by_renyi(
      [&](std::uint64_t l) {
        return l > kLastOrder ? kInfinity : lemma3_meant(static_cast<double>(l), round);
      },
      rounds, question, Conversion::canonne);
  bound.id = "liew-2022-baseline";
  bound.assumptions.push_back(kLemma3);
  bound.assumptions.push_back(fmt::format(
      "count above its quantile with probability {:.3g} a round (the paper's delta', for which it gives no "
      "value; this one gives its 0.80)",
      miss));
  return as_published(std::move(bound), "Section 5.2 and Appendix B, baseline");
}

Bound high_count_bound(double clients, double rate, const Guarantee& local, std::uint64_t rounds,
                       const Question& question) {
  Bound bound;
  const auto epsilon_of = [&](double delta) -> std::optional<double> {
    // Half of delta is spent on counts above the quantile, and the rest on delta0.
    const double inclusion = delta / 2;
    const Guarantee round = published_check_in::high_count_round(clients, rate, local, inclusion);
    if (!(round.delta <= delta)) return std::nullopt;
    return round.epsilon;
  };
  bound.upper = composed_optimally_upper(epsilon_of, rounds, question);
  if (!bound.upper) bound.assumptions.push_back("delta0 alone exceeds this delta");
  bound.id = "check-in-high-count";
  bound.validity = Validity::proven;
  bound.citation =
      "a high quantile of the count, Balle, Barthe, Gaboardi, 2018, Theorem 9, and Kairouz, Oh, Viswanath, "
      "2015, Theorem 3.3: the baseline of Liew et al., 2022, without its Lemma 3; no amplification by "
      "shuffling";
  return bound;
}

Bound liew_theorem5_bound(double clients, double rate, double sigma, std::uint64_t rounds, const Question&) {
  Bound bound;
  bound.id = "liew-2022-theorem-5";
  bound.neighbouring = Neighbouring::add_remove;
  bound.view = View::sum_only;
  const double printed =
      published_check_in::theorem5_printed(clients, rate, sigma, 8) * static_cast<double>(rounds);
  const std::string value =
      std::isfinite(printed) ? fmt::format("{:.4g}", printed) : "beyond the range of numbers";
  bound.assumptions = {
      fmt::format(
          "false: its moment of (p'/q') has a wrong prefactor and exponent (9 reports, sigma = 1, order "
          "3: truth 1.5008, printed 0.6799) and 1/(1-order) has the wrong sign; the right side is "
          "{} at order 8 for {} rounds",
          value, rounds),
      "corrected it is infinite at every integer order: the moment of order l needs more than l - 1 other "
      "reports, and fewer come with positive probability; a protocol that enforces a minimum has a bound",
  };
  return as_published(std::move(bound), "later version, Theorem 5 (distributed check-in, removal)");
}

std::vector<Bound> published_check_in_bounds(double clients, double rate, const Guarantee& local,
                                             std::uint64_t rounds, const Question& question) {
  std::vector<Bound> all;
  if (!(local.delta > 0)) {
    for (const Conversion c : {Conversion::canonne, Conversion::exact}) {
      all.push_back(timed(
          [&] { return liew_theorem2_printed_bound(clients, rate, local.epsilon, rounds, question, c); }));
    }
  }
  all.push_back(timed([&] { return liew_approach1_bound(clients, rate, local, rounds, question); }));
  all.push_back(timed([&] { return liew_approach2_bound(clients, rate, local, rounds, question); }));
  all.push_back(timed([&] { return liew_baseline_bound(clients, rate, local, rounds, question); }));
  all.push_back(timed([&] { return high_count_bound(clients, rate, local, rounds, question); }));
  return all;
}

}  // namespace muster::accounting
