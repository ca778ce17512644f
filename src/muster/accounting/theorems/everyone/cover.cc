#include "muster/accounting/theorems/cover.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "muster/accounting/theorems/entry.h"
#include "muster/accounting/theorems/everyone/binary_shuffle.h"
#include "muster/accounting/theorems/everyone/blanket.h"
#include "muster/accounting/theorems/everyone/class_c_pool.h"
#include "muster/accounting/theorems/everyone/clones.h"
#include "muster/accounting/theorems/everyone/gaussian_blanket.h"
#include "muster/accounting/theorems/everyone/k_rr.h"
#include "muster/accounting/theorems/everyone/star_pool.h"
#include "muster/accounting/theorems/exact/cover.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

constexpr const char* kBlanket =
    "Balle, Bell, Gascon, Nissim 2019, privacy blanket, expectation computed; docs/theory/blanket.md";

// The value of RoundBound::knot: half of the change of ln E that one more message makes. When E is near
// 1 the laws live on a lattice, so their curves have kinks.
double knot_of(double epsilon0, double n) { return std::log1p(std::expm1(epsilon0) / n) / 2; }

// Clipped records lie within 1/sigma of the origin. By Jung's theorem, records pairwise within mu also
// lie in a ball of radius mu / sqrt 2. The smaller radius is used.
RoundBound gaussian_entry(const GaussianLocal& gaussian, double n) {
  const double radius = numerics::smaller(1 / gaussian.sigma, gaussian.mu() / std::sqrt(2.0) * (1 + 1e-15));
  const GaussianBlanket blanket(n, gaussian.mu(), numerics::larger(radius, gaussian.mu() / 2));
  std::vector<std::string> assumptions = {
      fmt::format("{:.0f} honest clients, each reports once in the round", n)};
  add_assumptions(gaussian, assumptions);
  return {.id = "gaussian-blanket",
          .citation = "a blanket made of the centre's law, any dimension; docs/theory/gaussian-blanket.md",
          .assumptions = std::move(assumptions),
          .delta = [blanket](double epsilon) { return blanket.delta(epsilon); }};
}

// The proven upper bound for records that lie in a ball of `radius` and pairwise within mu, both in noise
// deviations. nullopt where no pool is large enough; StarPool::why_not makes the message for that case.
std::optional<RoundBound> gaussian_shuffle_bound(std::uint64_t clients, double mu, double radius) {
  std::optional<StarPool> star = StarPool::over(clients, mu, 1, radius);
  if (!star) {
    return std::nullopt;
  }
  RoundBound bound;
  bound.id = "star-pool";
  bound.citation =
      "a star of likely senders with a pool of clones, Gaussian in any dimension; "
      "docs/theory/star-with-a-pool.md";
  bound.assumptions = {fmt::format("{} honest clients, each reports once in the round", clients),
                       fmt::format("records at most {} noise deviations apart, in any dimension", mu)};
  bound.delta = [curve = std::make_shared<const StarPool>(std::move(*star))](double epsilon) {
    return curve->delta(epsilon);
  };
  return bound;
}

// Proven upper bounds for n honest clients, smallest first.
std::vector<RoundBound> plain_shuffle_bounds(const Mechanism& mechanism, double n) {
  std::vector<RoundBound> list;
  const std::optional<double> pure = pure_epsilon0(mechanism);
  if (!pure) {
    if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
      list.push_back(gaussian_entry(*gaussian, n));
    }
    return list;
  }
  const double epsilon0 = *pure;
  const double knot = knot_of(epsilon0, n);
  std::vector<std::string> assumptions = {
      fmt::format("{:.0f} honest clients, each reports once in the round", n)};
  add_assumptions(mechanism, assumptions);
  if (const auto* response = std::get_if<KRandomizedResponse>(&mechanism)) {
    const bool binary = response->k == 2 && n <= BinaryShuffle::kMost;
    if (binary) {
      const auto exact = std::make_shared<const BinaryShuffle>(n, epsilon0);
      list.push_back(
          {.id = "binary-shuffle",
           .citation = "the worst of all data sets, exactly; docs/theory/binary-randomized-response.md",
           .assumptions = assumptions,
           .delta = [exact](double epsilon) { return exact->delta(epsilon); },
           .knot = knot});
    }
    const auto k = static_cast<double>(response->k);
    list.push_back({.id = "k-rr-blanket",
                    .citation = "privacy blanket of k-ary randomized response; docs/theory/k-rr.md",
                    .assumptions = assumptions,
                    .delta = [=](double epsilon) { return k_rr_blanket_delta(n, k, epsilon0, epsilon); },
                    .knot = knot,
                    .is_dominated = binary});
  }
  if (std::holds_alternative<LaplaceLocal>(mechanism)) {
    const auto blanket = std::make_shared<const LaplaceBlanket>(n, epsilon0);
    list.push_back({.id = "laplace-blanket",
                    .citation = kBlanket,
                    .assumptions = assumptions,
                    .delta = [blanket](double epsilon) { return blanket->delta(epsilon); }});
  }
  list.push_back({.id = "privacy-blanket",
                  .citation = kBlanket,
                  .assumptions = assumptions,
                  .delta = [=](double epsilon) { return pure_blanket_delta(n, epsilon0, epsilon); },
                  .knot = knot,
                  .is_dominated = !list.empty() || in_class_c(mechanism)});
  list.push_back({.id = "clone-pair",
                  .citation = "Feldman, McMillan, Talwar 2021, hiding among the clones, the pair itself; "
                              "docs/theory/clones.md",
                  .assumptions = assumptions,
                  .delta = [=](double epsilon) { return clone_pair_delta(n, epsilon0, epsilon); },
                  .knot = knot,
                  .is_dominated = true});
  return list;
}

}  // namespace

void cover(const Mechanism& mechanism, const Shuffle& p, Applicable& list) {
  const double n = count_of(p.clients);
  const auto* gaussian = std::get_if<GaussianLocal>(&mechanism);
  if (gaussian != nullptr) {
    const double mu = gaussian->mu();
    list.lowers.push_back(gaussian_shuffle_pair(p.clients.value(), mu));
    // Clipped records lie within 1/sigma of the origin. By Jung's theorem, records pairwise within mu
    // also lie in a ball of radius mu / sqrt 2. The smaller radius is used.
    const double radius =
        numerics::larger(mu / 2, numerics::smaller(1 / gaussian->sigma, mu / std::sqrt(2.0) * (1 + 1e-15)));
    if (std::optional<RoundBound> star = gaussian_shuffle_bound(p.clients.value(), mu, radius)) {
      add_assumptions(mechanism, star->assumptions);
      list.uppers.push_back(std::move(*star));
    }
  } else {
    list.lowers.push_back(homogeneous(mechanism, {n, n, 1}));
  }
  add_third_symbol(mechanism, {n, n, 1}, list);
  if (!summable(mechanism)) {
    list.missing = fmt::format("a plain shuffle is not computed for epsilon0 above {}", kLargestEpsilon0);
    return;
  }
  if (in_class_c(mechanism)) {
    list.uppers.push_back(
        {.id = "class-c-pool",
         .citation = "the pool of displaceable messages of a sampler between 2q and 2p times "
                     "one law; docs/theory/class-c-pool.md",
         .assumptions = with_mechanism(
             mechanism, {fmt::format("{} honest clients, all of them reporting", p.clients.value())}),
         .delta = curve_of(ClassCPoolCurve(pure_epsilon0(mechanism).value(), n, 1))});
  }
  for (RoundBound& bound : plain_shuffle_bounds(mechanism, n)) {
    list.uppers.push_back(std::move(bound));
  }
  if (list.uppers.empty()) {
    list.missing =
        gaussian != nullptr
            ? StarPool::why_not(gaussian->mu())
            : "no theorem for this randomizer when everybody reports: a coin of rate 1 - 50/n is enough";
  }
}

}  // namespace muster::accounting
