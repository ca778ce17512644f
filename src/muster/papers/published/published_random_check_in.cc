#include "muster/papers/published/published_random_check_in.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "muster/accounting/timed.h"
#include "muster/numerics/ordered.h"
#include "muster/papers/optimal_composition.h"

namespace muster::accounting {
namespace random_check_in {
namespace {

constexpr double kRelativeMargin = 1e-12;  // relative allowance for the rounding errors of a few operations
// An iterate that changes by less than this, relatively, has converged. So has a search whose interval is
// shorter.
constexpr double kStill = 1e-13;

}  // namespace

double SubGaussian::epsilon_as_published(double delta) const {
  const double exponent = numerics::larger(0.0, -std::log(delta));
  return (drift + spread * std::sqrt(exponent)) * (1 + kRelativeMargin);
}

SubGaussian fixed_window(double epsilon0, double slots, double p0) {
  const double grown = std::exp(epsilon0), gap = std::expm1(epsilon0);
  return {p0 * p0 * grown * gap * gap / (2 * slots), p0 * gap * std::sqrt(2 * grown / slots)};
}

SubGaussian averaged_updates(double epsilon0, double clients, double slots, double delta2) {
  const double e1 = std::sqrt(1 / clients + 1 / slots) + std::sqrt(-std::log(delta2) / clients);
  const double one = std::exp(2 * epsilon0) * std::expm1(epsilon0) * e1;
  return {one * one / 2, one * std::sqrt(2.0)};
}

SubGaussian shuffling(double epsilon0, double clients) {
  const double one = std::exp(1.5 * epsilon0) * std::expm1(epsilon0) / std::sqrt(clients);
  return {one * one / 2, one * std::sqrt(2.0)};
}

double erlingsson_2019_upper(double epsilon0, double clients, double delta) {
  const double one = 2 * std::exp(2 * epsilon0) * std::expm1(epsilon0);
  return (one * std::expm1(one / clients) + one * std::sqrt(-2 * std::log(delta) / clients)) *
         (1 + kRelativeMargin);
}

std::optional<double> fixed_window_simplified(double epsilon0, double slots, double p0, double delta) {
  if (!(epsilon0 < 1) || !(delta < 0.01)) return std::nullopt;
  return 7 * p0 * epsilon0 * std::sqrt(-std::log(delta) / slots) * (1 + kRelativeMargin);
}

std::optional<double> least_delta1(double epsilon0, double delta0) {
  // With e0 = epsilon0 and d = delta1, the condition is
  // delta0 <= (1 - e^-e0) d / (4 e^e0 (2 + ln(2/d) / ln(1/(1 - e^-5e0)))). Its right side grows with d.
  const double log_base = -std::log1p(-std::exp(-5 * epsilon0));
  const auto allowed = [&](double d) {
    return -std::expm1(-epsilon0) * d / (4 * std::exp(epsilon0) * (2 + std::log(2 / d) / log_base));
  };
  if (!(allowed(1) >= delta0)) return std::nullopt;
  double low = -700, high = 0;  // the search interval for ln(delta1)
  while (high - low > kStill * (1 - low)) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (allowed(std::exp(middle)) >= delta0 ? high : low) = middle;
  }
  return std::exp(high);
}

std::optional<double> approximate_epsilon_as_published(const SubGaussian& form, double uses, double delta1,
                                                       double delta) {
  // The result is the least epsilon with
  // exp(-((epsilon - drift)/spread)^2) + uses (e^epsilon + 1) delta1 <= delta.
  // Solved for the epsilon in the first term, this is epsilon >= next(epsilon). `next` is increasing, so its
  // iterates climb to its least fixed point.
  double epsilon = form.drift;
  for (int i = 0; i < 100000; ++i) {
    const double left = delta - uses * (std::exp(epsilon) + 1) * delta1;
    if (!(left > 0) || !std::isfinite(epsilon)) return std::nullopt;
    const double next = form.epsilon_as_published(left);
    if (next <= epsilon * (1 + kStill)) return next;
    epsilon = next;
  }
  return std::nullopt;
}

double expected_dummies_fixed(double clients, double slots, double p0) {
  return p0 < slots ? slots * std::exp(clients * std::log1p(-p0 / slots)) : 0;
}

double expected_dummies_sliding(double clients, double slots) {
  return slots > 1 ? (clients - slots + 1) * std::exp(slots * std::log1p(-1 / slots)) : 0;
}

double expected_dummies_sliding_printed(double clients, double slots) {
  return (clients - slots + 1) / std::exp(1.0);
}

}  // namespace random_check_in

namespace {

using random_check_in::SubGaussian;

const char* const kBalle =
    "Balle, Kairouz, McMahan, Thakkar, Thakurta, Privacy amplification via random check-ins, NeurIPS 2020, ";

// Returns the Bound of a theorem that is given as a curve delta -> epsilon, composed over the runs.
Bound composed(const std::function<std::optional<double>(double delta)>& epsilon_of, std::uint64_t runs,
               const Question& question) {
  Bound bound;
  bound.upper = composed_optimally_upper(epsilon_of, runs, question);
  if (bound.upper && !std::isfinite(*bound.upper)) bound.upper.reset();
  if (!bound.upper) bound.assumptions.push_back("no epsilon at this delta");
  if (runs > 1) {
    bound.assumptions.push_back("runs composed by Kairouz, Oh, Viswanath, 2015, Theorem 3.3");
  }
  return bound;
}

Bound approximate(const std::function<SubGaussian(double epsilon0)>& form, double uses, double epsilon0,
                  double delta0, std::uint64_t runs, const Question& question) {
  const std::optional<double> delta1 = random_check_in::least_delta1(epsilon0, delta0);
  Bound bound;
  if (delta1) {
    const SubGaussian blown = form(8 * epsilon0);
    bound = composed(
        [&](double delta) {
          return random_check_in::approximate_epsilon_as_published(blown, uses, *delta1, delta);
        },
        runs, question);
    bound.assumptions.push_back(
        fmt::format("epsilon0 is replaced by 8 epsilon0 = {:.4g}; delta1 = {:.3g} is the least that the "
                    "condition on delta0 allows",
                    8 * epsilon0, *delta1));
  } else {
    bound.assumptions.push_back("no delta1 below 1 meets the condition on delta0");
  }
  bound.validity = Validity::as_published;
  bound.assumptions.push_back("delta0 in the printed delta' is read as delta1; its lemma is not re-derived");
  return bound;
}

Bound labelled(Bound bound, View view, const std::string& citation) {
  bound.view = view;
  bound.citation = citation;
  return bound;
}

}  // namespace

Bound balle_theorem32_bound(double slots, double p0, double epsilon0, double delta0, std::uint64_t runs,
                            const Question& question) {
  const auto form = [=](double e0) { return random_check_in::fixed_window(e0, slots, p0); };
  Bound bound;
  if (delta0 > 0) {
    bound = approximate(form, slots, epsilon0, delta0, runs, question);
    bound.id = "balle-2020-theorem-3-2-approximate";
  } else {
    bound =
        composed([&](double delta) { return form(epsilon0).epsilon_as_published(delta); }, runs, question);
    bound.id = "balle-2020-theorem-3-2";
    bound.validity = Validity::proven;
  }
  bound.assumptions.push_back(
      "one client a slot, a dummy message in an empty slot, who was asked stays hidden");
  return labelled(std::move(bound), View::server_trusted, std::string(kBalle) + "Theorem 3.2");
}

Bound balle_theorem43_bound(double slots, double epsilon0, double delta0, std::uint64_t runs,
                            const Question& question) {
  const auto form = [=](double e0) { return random_check_in::fixed_window(e0, slots, 1); };
  Bound bound;
  if (delta0 > 0) {
    bound = approximate(form, slots, epsilon0, delta0, runs, question);
    bound.id = "balle-2020-theorem-4-3-approximate";
  } else {
    bound =
        composed([&](double delta) { return form(epsilon0).epsilon_as_published(delta); }, runs, question);
    bound.id = "balle-2020-theorem-4-3";
    bound.validity = Validity::proven;
  }
  bound.assumptions.push_back("check-in probability 1, one client a slot, a dummy message in an empty slot");
  return labelled(std::move(bound), View::server_trusted, std::string(kBalle) + "Theorem 4.3");
}

Bound balle_theorem41_bound(double clients, double slots, double epsilon0, double delta0, std::uint64_t runs,
                            const Question& question) {
  // If delta0 = 0, the theorem's delta and delta2 are each half of the delta of one run.
  const auto form = [=](double e0, double delta2) {
    return random_check_in::averaged_updates(e0, clients, slots, delta2);
  };
  Bound bound;
  if (delta0 > 0) {
    // delta2 is a quarter of the question's delta divided by the number of runs. If the question asks for
    // delta, 1e-6 takes its place. The rest of the delta is left for the paper's delta and delta1.
    const double share = question.asks_epsilon() ? question.fixed() : 1e-6;
    const double delta2 = share / 4 / static_cast<double>(numerics::larger<std::uint64_t>(runs, 1));
    const std::optional<double> delta1 = random_check_in::least_delta1(epsilon0, delta0);
    if (delta1 && delta2 > 0) {
      const SubGaussian blown = form(8 * epsilon0, delta2);
      bound = composed(
          [&](double delta) {
            return random_check_in::approximate_epsilon_as_published(blown, slots, *delta1, delta - delta2);
          },
          runs, question);
    } else {
      bound.assumptions.push_back("no delta1 below 1 meets the condition on delta0");
    }
    bound.assumptions.push_back("epsilon0 is replaced by 8 epsilon0");
    bound.id = "balle-2020-theorem-4-1-approximate";
  } else {
    bound = composed([&](double delta) { return form(epsilon0, delta / 2).epsilon_as_published(delta / 2); },
                     runs, question);
    bound.id = "balle-2020-theorem-4-1";
  }
  bound.validity = Validity::as_published;
  bound.assumptions.push_back("check-in probability 1, everyone who checked in at a slot reports");
  bound.assumptions.push_back("not re-derived");
  return labelled(std::move(bound), View::server_trusted, std::string(kBalle) + "Theorem 4.1");
}

Bound balle_theorem51_bound(double clients, double epsilon0, double delta0, std::uint64_t rounds,
                            const Question& question) {
  const auto form = [=](double e0) { return random_check_in::shuffling(e0, clients); };
  Bound bound;
  if (delta0 > 0) {
    bound = approximate(form, clients, epsilon0, delta0, rounds, question);
    bound.id = "balle-2020-theorem-5-1-approximate";
  } else {
    bound =
        composed([&](double delta) { return form(epsilon0).epsilon_as_published(delta); }, rounds, question);
    bound.id = "balle-2020-theorem-5-1";
    bound.validity = Validity::proven;
  }
  return labelled(std::move(bound), View::shuffler_honest, std::string(kBalle) + "Theorem 5.1");
}

Bound erlingsson_theorem7_bound(double clients, double epsilon0, std::uint64_t rounds,
                                const Question& question) {
  Bound bound =
      composed([&](double delta) { return random_check_in::erlingsson_2019_upper(epsilon0, clients, delta); },
               rounds, question);
  bound.id = "erlingsson-2019-theorem-7";
  bound.validity = Validity::proven;
  bound.assumptions.push_back("as stated by Balle et al., 2020, Section 5; never below their Theorem 5.1");
  return labelled(std::move(bound), View::shuffler_honest,
                  "Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta, Amplification by shuffling, "
                  "SODA 2019, Theorem 7");
}

std::vector<Bound> published_fixed_window_bounds(double slots, double p0, double epsilon0, double delta0,
                                                 std::uint64_t runs, const Question& question) {
  return {timed([&] { return balle_theorem32_bound(slots, p0, epsilon0, delta0, runs, question); })};
}

std::vector<Bound> published_sliding_window_bounds(double slots, double epsilon0, double delta0,
                                                   std::uint64_t runs, const Question& question) {
  return {timed([&] { return balle_theorem43_bound(slots, epsilon0, delta0, runs, question); })};
}

std::vector<Bound> published_averaged_updates_bounds(double clients, double slots, double epsilon0,
                                                     double delta0, std::uint64_t runs,
                                                     const Question& question) {
  return {timed([&] { return balle_theorem41_bound(clients, slots, epsilon0, delta0, runs, question); })};
}

std::vector<Bound> published_shuffle_bounds(double clients, double epsilon0, double delta0,
                                            std::uint64_t rounds, const Question& question) {
  std::vector<Bound> all = {balle_theorem51_bound(clients, epsilon0, delta0, rounds, question)};
  if (!(delta0 > 0))
    all.push_back(timed([&] { return erlingsson_theorem7_bound(clients, epsilon0, rounds, question); }));
  return all;
}

}  // namespace muster::accounting
