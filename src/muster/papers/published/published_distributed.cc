#include "muster/papers/published/published_distributed.h"

#include <cmath>
#include <functional>
#include <limits>

#include "muster/numerics/ordered.h"
#include "muster/papers/conversions/rdp_to_dp.h"
#include "muster/papers/published/published_check_in.h"

namespace muster::accounting::published_distributed {
namespace {

namespace published = published_check_in;

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// Returns the count of Lemma 4's second term.
double enough_reports(const DistributedRound& round, Lemma4 lemma) {
  return std::floor((1 - lemma.slack) * round.others()) + 1;
}

// Returns, at index l, `sum` applied to the printed moment of order l as a function of the number of other
// reports.
std::vector<double> averaged_moments(const DistributedRound& round,
                                     const std::function<double(const std::function<double(double)>&)>& sum) {
  std::vector<double> averaged(Theorem5::kLastOrder + 1, 0.0);
  for (std::uint64_t l = 2; l <= Theorem5::kLastOrder; ++l) {
    averaged[l] = sum(
        [&](double k) { return published::removal_moment_printed(k, round.sigma, static_cast<double>(l)); });
  }
  return averaged;
}

}  // namespace

Theorem5::Theorem5(const DistributedRound& round, Lemma4 lemma)
    : round_(round), first_power_(2), averaged_(averaged_moments(round, [&](const auto& moment) {
        return published::lemma4(moment, round.clients - 1, round.rate, lemma.slack);
      })) {}

Theorem5::Theorem5(const DistributedRound& round, Lemma5 lemma)
    : round_(round), first_power_(3), averaged_(averaged_moments(round, [&](const auto& moment) {
        // The slack is larger by a millionth of a report, so that rounding does not drop the sum's last
        // count.
        const double slack = (lemma.last_count + 1e-6) / round.others() - 1;
        return published::lemma5(moment, round.clients - 1, round.rate, slack);
      })) {}

// Returns the logarithm of the sum in the theorem's braces: the line before line 12, then lines 12 and 13 or,
// with Lemma 4, lines 14 and 15 in their place. The terms for the case that nobody else reports, which the
// lemmas leave out, are added here. Weights are computed as logarithms, and the sum is below e^700 for the
// orders that are tabulated and the papers' sigma.
double Theorem5::log_sum(std::uint64_t order, Powers powers) const {
  const auto lambda = static_cast<double>(order);
  const double g = round_.rate, log_g = std::log(g), log_rest = std::log1p(-g);
  const double nobody = std::exp((round_.clients - 1) * log_rest), variance = round_.sigma * round_.sigma;
  double sum = std::exp((lambda - 1) * log_rest) * (lambda * g - g + 1);
  sum += std::exp(log_choose(lambda, 2) + 2 * log_g + (lambda - 2) * log_rest) *
         (averaged_[2] + nobody * std::exp(1 / variance));
  for (std::uint64_t j = first_power_; j <= order; ++j) {
    const auto l = static_cast<double>(j);
    const double victims = powers == Powers::printed ? lambda - l : l;
    const double weight =
        3 * std::exp(log_choose(lambda, l) + victims * log_g + (lambda - victims) * log_rest);
    // The terms for no other report are those of line 13, which begins at order 3, even where line 15 begins
    // at order 2.
    const double alone = j < 3 ? 0.0 : nobody * std::exp(l * (l - 1) / (2 * variance));
    sum += weight * (averaged_[j] + alone);
  }
  return std::log(sum);
}

double Theorem5::printed(std::uint64_t order) const {
  return log_sum(order, Powers::printed) / (1 - static_cast<double>(order));
}

double Theorem5::repaired(std::uint64_t order) const {
  return log_sum(order, Powers::exchanged) / (static_cast<double>(order) - 1);
}

double Theorem5::epsilon_repaired(std::uint64_t rounds, const Question& question) const {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t order = 2; order <= kLastOrder; ++order) {
    const double divergence = static_cast<double>(rounds) * repaired(order);
    if (!std::isfinite(divergence)) continue;
    least = numerics::smaller(least, epsilon_upper_from_rdp(Conversion::canonne, static_cast<double>(order),
                                                            divergence, question.fixed()));
  }
  return least;
}

FirstTerm first_term(const DistributedRound& round, Lemma4 lemma, std::uint64_t order) {
  const double log_weight = -lemma.slack * lemma.slack * round.others() / 2;
  const auto l = static_cast<double>(order);
  const double many = enough_reports(round, lemma);
  return {std::exp(log_weight) * published::removal_moment_printed(1, round.sigma, l) /
              published::removal_moment_printed(many, round.sigma, l),
          std::exp(log_weight) * published::removal_moment(1, round.sigma, l) /
              published::removal_moment(many, round.sigma, l)};
}

}  // namespace muster::accounting::published_distributed
