#include "muster/papers/published/published_shuffle_gaussian.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "muster/accounting/timed.h"
#include "muster/numerics/ordered.h"
#include "muster/papers/published/published_check_in.h"
#include "muster/papers/renyi/homogeneous_rdp.h"
#include "muster/papers/renyi/ratio_moments.h"
#include "muster/papers/renyi/subsampled_rdp.h"
#include "muster/papers/renyi/subsampled_shuffle_rdp.h"
#include "muster/theorems/local/local.h"

namespace muster::accounting {
namespace published_shuffle_gaussian {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// The formulas are not evaluated above these orders. The work of a table, and that of a sum over orders, is
// proportional to the square of the order.
constexpr std::uint64_t kLastOrder = 2048;
constexpr std::uint64_t kLastSummedOrder = 256;  // the highest order for equations (16) and (18)
// Equation (17) is not evaluated above this order, because it needs a table for each count k.
constexpr std::uint64_t kLastCountOrder = 64;

}  // namespace

Divergence theorem1(double clients, double t) {
  const auto table =
      std::make_shared<HomogeneousRdp>(HomogeneousRdp::plain(clients, RatioMoments::gaussian(t)));
  return [table](std::uint64_t order) {
    return order > kLastOrder ? kInfinity : table->divergence(order).upper;
  };
}

double corollary1(double t, std::uint64_t order) { return static_cast<double>(order) * t * t / 2; }

Divergence theorem2(double subset, double rate, double t) {
  const Divergence shuffled = theorem1(subset, t);
  const auto sampled = std::make_shared<const SubsampledRdp>(rate, shuffled);
  // Evaluating the highest order first builds the table only once.
  return [shuffled, sampled](std::uint64_t order) {
    if (order > kLastSummedOrder) return kInfinity;
    shuffled(order);
    return sampled->theorem(order);
  };
}

Divergence equation17(double clients, double rate, double t) {
  struct Term {
    double log_weight;
    Divergence divergence;
  };
  const auto terms = std::make_shared<std::vector<Term>>();
  for (const CountCell& cell : count_cells(clients, rate, 0.2)) {
    if (cell.k >= 1 && cell.weight > 1e-300) {
      terms->push_back({std::log(cell.weight), theorem2(cell.k, rate, t)});
    }
  }
  return [terms](std::uint64_t order) {
    if (order > kLastCountOrder) return kInfinity;
    const double m = static_cast<double>(order) - 1;
    double log_moment = -kInfinity;
    for (const Term& term : *terms) {
      log_moment = rdp_detail::log_sum(log_moment, term.log_weight + m * term.divergence(order));
    }
    return log_moment / m;  // may be negative, because the term k = 0 is missing
  };
}

Divergence theorem3(double clients, double rate, double t, double slack) {
  const double mean = clients * rate;
  const Divergence one = theorem2(1, rate, t), crowd = theorem2(std::floor((1 - slack) * mean) + 1, rate, t);
  return [one, crowd, mean, slack](std::uint64_t order) {
    const double m = static_cast<double>(order) - 1;
    return rdp_detail::log_sum(m * one(order) - slack * slack * mean / 2, m * crowd(order)) / m;
  };
}

Guarantee gaussian_guarantee(double mu, double delta0) {
  return {local_detail::gaussian_epsilon_upper(mu, 1, 1, delta0), delta0};
}

Guarantee message_guarantee(double mu, double clients) {
  return gaussian_guarantee(mu, numerics::smaller(0.5, std::pow(clients, -1.5)));
}

Guarantee classical_gaussian_guarantee(double mu, double delta0) {
  return {mu * std::sqrt(2 * std::log(1.25 / delta0)), delta0};
}

double table1_clones(double clients, double mu, std::uint64_t rounds, double delta) {
  const double share = delta / static_cast<double>(rounds);
  double best = kInfinity;
  for (double log_delta0 = std::log(share); log_delta0 > std::log(share) - 40; log_delta0 -= 1e-3) {
    const Guarantee local = classical_gaussian_guarantee(mu, std::exp(log_delta0));
    const Guarantee shuffled = published_check_in::shuffled(clients, local, local.delta);
    if (shuffled.delta <= share) best = numerics::smaller(best, shuffled.epsilon);
  }
  return best * static_cast<double>(rounds);
}

}  // namespace published_shuffle_gaussian

namespace {

namespace psg = published_shuffle_gaussian;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSlack = 0.5;

// Returns the Bound of a formula of the paper: the formula's divergence `rdp` is converted, `id` names the
// Bound, and `title` names the formula in the citation.
Bound by_formula(const char* id, const std::string& title, const Divergence& rdp, std::uint64_t rounds,
                 const Question& question, Conversion conversion = Conversion::canonne) {
  Bound bound = answer_by_renyi(rdp, rounds, question, conversion);
  bound.id = id + std::string(id_suffix(conversion));
  bound.validity = Validity::as_published;
  bound.citation = "Liew, Takahashi, Shuffle Gaussian mechanism for differential privacy, 2022, " + title;
  bound.assumptions.push_back(
      "one pair of data sets, all other records equal, at sensitivity 1: no bound for all neighbours (2 "
      "clients, sigma = 1, order 2, victim 1 or 0, other at -1: divergence 0.9515, formula 0.6201)");
  return bound;
}

// Raises negative values to 0: a Renyi divergence is never negative, and a negative value would convert to a
// meaningless epsilon or delta.
Divergence not_negative(Divergence rdp) {
  return [rdp = std::move(rdp)](std::uint64_t order) { return numerics::larger(0.0, rdp(order)); };
}

}  // namespace

Bound shuffle_gaussian_theorem1_bound(double clients, double t, std::uint64_t rounds,
                                      const Question& question, Conversion conversion,
                                      std::uint64_t last_order) {
  const Divergence rdp = psg::theorem1(clients, t);
  const auto limited = [&](std::uint64_t order) {
    return last_order > 0 && order > last_order ? kInfinity : rdp(order);
  };
  return by_formula("liew-takahashi-2022-theorem-1", std::string("Theorem 1") + citation_suffix(conversion),
                    limited, rounds, question, conversion);
}

Bound shuffle_gaussian_corollary1_bound(double t, std::uint64_t rounds, const Question& question) {
  return by_formula(
      "liew-takahashi-2022-corollary-1", "Corollary 1: no amplification",
      [t](std::uint64_t order) { return psg::corollary1(t, order); }, rounds, question);
}

Bound shuffle_gaussian_theorem2_bound(double clients, double subset, double t, std::uint64_t rounds,
                                      const Question& question) {
  return by_formula("liew-takahashi-2022-theorem-2", "Theorem 2, equation (16)",
                    psg::theorem2(subset, subset / clients, t), rounds, question);
}

Bound shuffle_gaussian_equation17_bound(double clients, double rate, double t, std::uint64_t rounds,
                                        const Question& question) {
  Bound bound = by_formula("liew-takahashi-2022-equation-17", "equation (17)",
                           not_negative(psg::equation17(clients, rate, t)), rounds, question);
  bound.assumptions.push_back(
      "leaves out k = 0, which can make the divergence negative, and takes the rate for the inclusion "
      "probability k/n (2 clients, rate 0.05, sigma = 1, order 2: formula -2.31, divergence 0.0421); orders "
      "up to 64");
  return bound;
}

Bound shuffle_gaussian_theorem3_bound(double clients, double rate, double t, std::uint64_t rounds,
                                      const Question& question) {
  Bound bound = by_formula("liew-takahashi-2022-theorem-3", "Theorem 3, equation (18)",
                           not_negative(psg::theorem3(clients, rate, t, kSlack)), rounds, question);
  bound.assumptions.push_back(
      "takes the rate for the inclusion probability k/n: false (2 clients, rate 0.05, sigma = 1, order 6: "
      "divergence 1.716, formula 0.2269)");
  return bound;
}

std::vector<Bound> published_gaussian_shuffle_bounds(double clients, double sigma, std::uint64_t rounds,
                                                     const Question& question) {
  return {
      timed([&] {
        return shuffle_gaussian_theorem1_bound(clients, 1 / sigma, rounds, question, Conversion::canonne, 0);
      }),
      timed([&] {
        return shuffle_gaussian_theorem1_bound(clients, 1 / sigma, rounds, question, Conversion::exact, 0);
      }),
      timed([&] { return shuffle_gaussian_corollary1_bound(1 / sigma, rounds, question); })};
}

std::vector<Bound> published_gaussian_subset_bounds(double clients, double subset, double sigma,
                                                    std::uint64_t rounds, const Question& question) {
  return {
      timed([&] { return shuffle_gaussian_theorem2_bound(clients, subset, 1 / sigma, rounds, question); })};
}

std::vector<Bound> published_gaussian_check_in_bounds(double clients, double rate, double sigma,
                                                      std::uint64_t rounds, const Question& question) {
  std::vector<Bound> all = {shuffle_gaussian_equation17_bound(clients, rate, 1 / sigma, rounds, question),
                            shuffle_gaussian_theorem3_bound(clients, rate, 1 / sigma, rounds, question)};
  // The paper "Shuffled check-in" fixes delta0 = n^-1.5 and takes the largest distance of two clipped
  // vectors, 2 clip norms.
  const Guarantee local = psg::message_guarantee(2 / sigma, clients);
  for (Bound& bound : published_check_in_bounds(clients, rate, local, rounds, question)) {
    bound.assumptions.push_back(fmt::format(
        "a message is ({:.4g}, {:.3g})-LDP: delta0 = n^-1.5, as in the paper", local.epsilon, local.delta));
    all.push_back(std::move(bound));
  }
  return all;
}

}  // namespace muster::accounting
