#include "muster/comparison/central.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/gate/sampled_floor.h"
#include "muster/numerics/roots/boundary.h"
#include "muster/papers/central/sampled_gaussian_rounds.h"
#include "muster/simulation/model_task.h"

namespace muster::comparison {
namespace {

using accounting::Neighbouring;
using accounting::SampledGaussianRounds;
using protocols::Plan;
using protocols::Protocol;

constexpr double kMinSigma = 0.01, kMaxSigma = 1e8;
constexpr std::uint64_t kFloatBits = 32;  // bits of an unencoded vector entry

double sampled_share(const Plan& own, Solves solves) {
  if (solves == Solves::accuracy || own.protocol() == Protocol::shuffle) return 1;
  if (own.protocol() == Protocol::subset) {
    return static_cast<double>(own.subset()) / static_cast<double>(own.clients());
  }
  const double slots = own.has_slots() ? static_cast<double>(own.slots()) : 1;
  return own.rate() * (1 - own.dropout().at(1)) / slots;
}

// Returns a first guess of sigma. T rounds with sampling probability q are approximately one Gaussian
// mechanism at distance q sqrt(T) / sigma, or twice that for replace-one.
double rough_sigma(double share, double rounds, const protocols::Target& target, bool replaces) {
  const double distance = (replaces ? 2 : 1) * share * std::sqrt(rounds);
  return distance * std::sqrt(2 * std::log(1.25 / target.delta)) / target.epsilon;
}

}  // namespace

Row central_row(const Plan& own, const Request& request, Neighbouring neighbouring) {
  const double share = sampled_share(own, request.solves), clients = static_cast<double>(own.clients());
  const std::uint64_t rounds = std::max<std::uint64_t>(1, own.updates());
  const auto cost = [&](double sigma) {
    return SampledGaussianRounds(sigma, share, neighbouring).epsilon(rounds, request.target.delta);
  };
  Row row;
  row.protocol = kCentral;
  row.randomizer = "gaussian";
  row.knob = "sigma";
  row.trusted = "the server with all records";
  const numerics::Lattice lattice = numerics::six_digit_numbers().mirror();
  const std::int64_t first = lattice.index(kMaxSigma), last = lattice.index(kMinSigma);
  const bool replaces = neighbouring == Neighbouring::replace_one;
  const double guess = std::clamp(rough_sigma(share, static_cast<double>(rounds), request.target, replaces),
                                  kMinSigma, kMaxSigma);
  const numerics::BoundarySearch search{lattice, first, last, std::clamp(lattice.index(guess), first, last),
                                        1,       0.2,   true};
  const std::optional<std::int64_t> found = search.last_within(
      [&](std::int64_t i) { return std::log(cost(lattice.value(i)).upper / request.target.epsilon); });
  if (!found) {
    row.why_not = fmt::format("--epsilon {} is out of reach: even sigma = {} costs more",
                              request.target.epsilon, kMaxSigma);
    return row;
  }
  row.value = lattice.value(*found);
  const numerics::Enclosure epsilon = cost(row.value);
  accounting::check_sampled_epsilon(row.value, share,
                                    replaces ? accounting::Instead::opposite : accounting::Instead::nothing,
                                    request.target.delta, epsilon.upper);
  row.bound = accounting::Bound{};
  row.bound->id = "sampled-gaussian";
  row.bound->validity = accounting::Validity::proven;
  row.bound->upper = epsilon.upper;
  row.bound->lower = epsilon.lower;
  row.bound->neighbouring = neighbouring;
  row.bound->view = accounting::View::server_trusted;
  row.bound->citation = "a trusted server that samples clients; docs/theory/sampled-gaussian.md";
  row.bound->assumptions = {"the server samples each client by a coin of its own, in secret",
                            "the server adds the noise, and shows nothing but noisy sums"};
  row.rate = share;
  // The mean is estimated by the noisy sum divided by the expected number of sampled clients. This is the
  // variance of that quotient if each client's value is 1.
  const double sampled = clients * share;
  row.variance = (1 - share) / sampled + row.value * row.value / (sampled * sampled);
  row.messages = sampled * static_cast<double>(rounds);
  if (request.records) {
    row.bits =
        kFloatBits * simulation::client_dimension(own, request.records->shape, request.records->classes);
  }
  return row;
}

}  // namespace muster::comparison
