#include "muster/reproduce/shuffled_check_in/federated.h"

#include <fmt/format.h>

#include <cmath>

#include "muster/core/error.h"
#include "muster/numerics/roots/boundary.h"
#include "muster/papers/published/published_check_in.h"
#include "muster/papers/published/published_shuffle_gaussian.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"

namespace muster::reproduce {

namespace {

accounting::Question at(double delta) { return {accounting::Question::Kind::epsilon_at_delta, delta}; }

}  // namespace

accounting::Guarantee Federated::message() const {
  return {epsilon0, std::pow(clients, -number_of("000-federated-delta0"))};
}

double Federated::noise_multiplier(double clips) const {
  constexpr double kMost = 1e4, kLeast = 1e-2;  // all multipliers of the papers lie between these
  const numerics::Lattice falling = numerics::six_digit_numbers().mirror();
  const numerics::BoundarySearch search{.lattice = falling,
                                        .first = falling.index(kMost),
                                        .last = falling.index(kLeast),
                                        .start = falling.index(1),
                                        .reach = 1};
  const auto found = search.last_within([&](std::int64_t i) {
    const double mu = clips / falling.value(i);
    return std::log(accounting::published_shuffle_gaussian::gaussian_guarantee(mu, message().delta).epsilon /
                    epsilon0);
  });
  if (!found) throw Error(ErrorCode::internal, "sigma", "", "", "is beyond all multipliers that are tried");
  return falling.value(*found);
}

accounting::Bound Federated::approach_1(std::uint64_t rounds, double delta) const {
  return accounting::liew_approach1_bound(clients, rate, message(), rounds, at(delta));
}

accounting::Bound Federated::approach_2(std::uint64_t rounds, double delta) const {
  return accounting::liew_approach2_bound(clients, rate, message(), rounds, at(delta));
}

accounting::Bound Federated::baseline(std::uint64_t rounds, double delta) const {
  return accounting::liew_baseline_bound(clients, rate, message(), rounds, at(delta));
}

accounting::Bound Federated::corrected_baseline(std::uint64_t rounds, double delta) const {
  return accounting::high_count_bound(clients, rate, message(), rounds, at(delta));
}

Federated federated_of(const std::string& statement) {
  return {number_of(statement, 0), number_of(statement, 1), number_of(statement, 2), number_of(statement, 3)};
}

void add_settings(PaperFigure& figure, const Federated& experiment, double delta) {
  for (const Setting& setting : std::vector<Setting>{
           {"n =", grouped(experiment.clients), false},
           {"gamma =", fmt::format("{}", experiment.rate), false},
           {"epsilon0 =", fmt::format("{}", experiment.epsilon0), false},
           {"delta0 =", fmt::format("n^-{}", number_of("000-federated-delta0")), false},
           {"C =", fmt::format("{}", experiment.clip), false},
           {"delta, delta' and the delta of Theorem 3.8 =", power_of_ten(delta), true},
           {"noise multiplier:",
            fmt::format("{}, exactly for (epsilon0, delta0)", experiment.noise_multiplier(2)), true},
           {"network:", "padding 3, poolings of stride 1", true}}) {
    figure.settings.push_back(setting);
  }
}

std::string upper_text(const accounting::Bound& bound) {
  return bound.upper ? fmt::format("{:.4g}", *bound.upper) : "none";
}

}  // namespace muster::reproduce
