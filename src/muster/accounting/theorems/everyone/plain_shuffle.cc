#include "muster/accounting/theorems/everyone/plain_shuffle.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "muster/accounting/theorems/everyone/binary_shuffle.h"
#include "muster/accounting/theorems/everyone/blanket.h"
#include "muster/accounting/theorems/everyone/clones.h"
#include "muster/accounting/theorems/everyone/gaussian_blanket.h"
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

}  // namespace

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

std::vector<RoundPair> k_rr_pairs(const KRandomizedResponse& mechanism, const KRRShape& shape) {
  const auto curve = [k = static_cast<double>(mechanism.k), epsilon0 = mechanism.epsilon0,
                      shape](OthersHold others) {
    return [=](double epsilon) { return k_rr_dataset_delta(shape, k, epsilon0, others, epsilon); };
  };
  std::vector<RoundPair> list;
  if (mechanism.k >= 3) {
    list.push_back(
        {.id = "k-rr-third-symbol",
         .citation =
             "exact curve of the dataset whose other records all equal a third symbol; docs/theory/k-rr.md",
         .assumptions = {"a lower bound: upper is none"},
         .forward = curve(OthersHold::third),
         .reverse = curve(OthersHold::third)});
  }
  return list;
}

}  // namespace muster::accounting
