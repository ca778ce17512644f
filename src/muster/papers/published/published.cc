#include "muster/papers/published/published.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "muster/accounting/timed.h"
#include "muster/numerics/ordered.h"
#include "muster/papers/published/published_check_in.h"
#include "muster/papers/published/published_random_check_in.h"
#include "muster/papers/published/published_shuffle_gaussian.h"
#include "muster/papers/published/published_subset.h"
#include "muster/papers/renyi/check_in_rdp.h"
#include "muster/papers/renyi/renyi_route.h"
#include "muster/papers/renyi/subsampled_shuffle_rdp.h"

namespace muster::accounting {
namespace {

// The Chernoff slack Delta of Liew et al. Their Remark 1 says "we typically use Delta = 1/2".
constexpr double kPublishedSlack = 0.5;

const char* const kGirgis =
    "Girgis, Data, Diggavi, Renyi differential privacy of the subsampled shuffle model in distributed "
    "learning, "
    "NeurIPS 2021, ";
const char* const kLiew =
    "Liew, Hasegawa, Takahashi, Shuffled check-in: privacy amplification towards practical distributed "
    "learning, "
    "2022, ";

struct Numbers {
  double clients, rate, subset;
};

Numbers numbers(const ShuffledCheckIn& protocol) {
  const double n = static_cast<double>(protocol.clients().value()), g = protocol.rate().value();
  return {n, g, numerics::within(std::round(n * g), 1.0, n)};
}

// Returns a Bound that only states `value`, a lower bound of the Renyi divergence at one order; `of` names
// the mechanism.
Bound renyi_lower_bound(const char* id, std::uint64_t order, double value, const std::string& of) {
  Bound bound;
  bound.id = id;
  bound.validity = Validity::as_published;
  bound.assumptions = {
      fmt::format("a lower bound of the Renyi divergence alone: order {}, at least {:.6g} a round, for {}",
                  order, value, of),
      "no lower bound on epsilon or delta follows: the paper's curve passes it through an upper conversion"};
  return bound;
}

}  // namespace

Bound check_in_rdp_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                         const Question& question, Conversion conversion) {
  const auto [n, g, subset] = numbers(protocol);
  const CheckInRdp rdp(epsilon0, n, g);
  Bound bound = answer_by_renyi([&](std::uint64_t l) { return rdp.upper(l); }, rounds, question, conversion);
  bound.id = "check-in-rdp" + std::string(id_suffix(conversion));
  bound.validity = Validity::proven;
  bound.citation = std::string(kLiew) + "Theorem 1, with inclusion probability k/n, over " + kGirgis +
                   "Theorem 1" + citation_suffix(conversion);
  return bound;
}

Bound girgis_theorem1_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                            const Question& question, Conversion conversion) {
  const Numbers v = numbers(protocol);
  Bound bound = subset_theorem1_bound(v.clients, v.subset, epsilon0, rounds, question, conversion);
  bound.id = "girgis-2021-at-mean-count" + std::string(id_suffix(conversion));
  bound.validity = Validity::as_published;
  bound.assumptions.push_back(
      fmt::format("proven for a secret uniform subset of exactly {:.0f} clients, not for coins", v.subset));
  return bound;
}

Bound liew_theorem2_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                          const Question& question, Conversion conversion) {
  const Numbers v = numbers(protocol);
  Bound bound = answer_by_renyi(
      [&](std::uint64_t l) { return check_in_rdp_printed(epsilon0, v.clients, v.rate, kPublishedSlack, l); },
      rounds, question, conversion);
  bound.id = "liew-2022-theorem-2" + std::string(id_suffix(conversion));
  bound.validity = Validity::as_published;
  bound.assumptions.push_back(
      "printed constants 2 epsilon0 and 8 epsilon0 read as 2 e^epsilon0 and 8 e^epsilon0");
  bound.assumptions.push_back(
      "takes the rate for the inclusion probability given k reports, which is k/n: false in general (2 "
      "clients, rate "
      "0.05, epsilon0 = 1, order 20: divergence 0.6517, formula 0.2617)");
  bound.assumptions.push_back("Chernoff slack Delta = 1/2, as in the paper");
  bound.citation = std::string(kLiew) + "Theorem 2" + citation_suffix(conversion);
  return bound;
}

Bound girgis_theorem2_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t order) {
  const Numbers v = numbers(protocol);
  Bound bound = renyi_lower_bound(
      "girgis-2021-theorem-2", order, subsampled_shuffle_rdp_lower(epsilon0, v.clients, v.subset, order),
      fmt::format("binary randomized response and a secret subset of {:.0f} clients", v.subset));
  bound.citation = std::string(kGirgis) + "Theorem 2";
  return bound;
}

Bound liew_theorem3_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t order) {
  const Numbers v = numbers(protocol);
  Bound bound = renyi_lower_bound("liew-2022-theorem-3", order,
                                  check_in_rdp_lower(epsilon0, v.clients, v.rate, kPublishedSlack, order),
                                  "binary randomized response");
  bound.citation = std::string(kLiew) + "Theorem 3";
  return bound;
}

std::vector<Bound> published_bounds(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                                    const Question& question) {
  std::vector<Bound> all;
  for (const Conversion c : {Conversion::canonne, Conversion::exact}) {
    all.push_back(timed([&] { return girgis_theorem1_bound(protocol, epsilon0, rounds, question, c); }));
    all.push_back(timed([&] { return liew_theorem2_bound(protocol, epsilon0, rounds, question, c); }));
  }
  // The lower bounds are given at the order that is best for the paper's own upper bound.
  const Numbers v = numbers(protocol);
  const ConvertedUpper best = convert_rdp(
      [&](std::uint64_t l) { return subsampled_shuffle_rdp_upper(epsilon0, v.clients, v.subset, l); },
      numerics::larger<std::uint64_t>(rounds, 1), question, Conversion::canonne);
  const auto order = static_cast<std::uint64_t>(best.order);
  all.push_back(timed([&] { return girgis_theorem2_bound(protocol, epsilon0, order); }));
  all.push_back(timed([&] { return liew_theorem3_bound(protocol, epsilon0, order); }));
  return all;
}

namespace {

// Holds the local guarantee that the papers' formulas need: a pure epsilon0, or a Gaussian, or neither.
struct Local {
  std::optional<double> epsilon0;
  std::optional<GaussianLocal> gaussian;

  explicit Local(const Mechanism& mechanism) : epsilon0(pure_epsilon0(mechanism)) {
    if (const auto* g = std::get_if<GaussianLocal>(&mechanism)) gaussian = *g;
  }
  // Returns the (epsilon0, delta0) of one message among n clients; nullopt if `epsilon0` and `gaussian` are
  // both empty.
  std::optional<Guarantee> guarantee(double n) const {
    if (epsilon0) return Guarantee{*epsilon0, 0};
    if (!gaussian) return std::nullopt;
    return published_shuffle_gaussian::message_guarantee(gaussian->mu(), n);
  }
};

double count_of(ClientCount clients) { return static_cast<double>(clients.value()); }

void append(std::vector<Bound>& all, std::vector<Bound> more) {
  for (Bound& bound : more) all.push_back(std::move(bound));
}

std::vector<Bound> list(const Local& local, const Shuffle& p, std::uint64_t rounds,
                        const Question& question) {
  const double n = count_of(p.clients());
  std::vector<Bound> all;
  if (local.epsilon0) all = published_subset_bounds(n, n, *local.epsilon0, rounds, question);
  if (local.gaussian) all = published_gaussian_shuffle_bounds(n, local.gaussian->sigma(), rounds, question);
  if (const auto g = local.guarantee(n)) {
    append(all, published_shuffle_bounds(n, g->epsilon, g->delta, rounds, question));
  }
  return all;
}

std::vector<Bound> list(const Local& local, const FixedSubset& p, std::uint64_t rounds,
                        const Question& question) {
  const double n = count_of(p.clients()), k = static_cast<double>(p.subset());
  if (local.epsilon0) return published_subset_bounds(n, k, *local.epsilon0, rounds, question);
  if (local.gaussian)
    return published_gaussian_subset_bounds(n, k, local.gaussian->sigma(), rounds, question);
  return {};
}

std::vector<Bound> list(const Local& local, const ShuffledCheckIn& p, std::uint64_t rounds,
                        const Question& question) {
  const double n = count_of(p.clients()), g = p.rate().value();
  if (local.gaussian) {
    return published_gaussian_check_in_bounds(n, g, local.gaussian->sigma(), rounds, question);
  }
  std::vector<Bound> all;
  if (local.epsilon0) {
    all = published_bounds(p, *local.epsilon0, rounds, question);
    append(all, published_check_in_bounds(n, g, {*local.epsilon0, 0}, rounds, question));
  }
  return all;
}

std::vector<Bound> list(const Local& local, const RandomCheckIn& p, std::uint64_t runs,
                        const Question& question) {
  const double n = count_of(p.clients()), m = static_cast<double>(p.slots()), p0 = p.rate().value();
  const auto g = local.guarantee(n);
  if (!g) return {};
  switch (p.kind()) {
    case RandomCheckIn::Kind::fixed:
      return published_fixed_window_bounds(m, p0, g->epsilon, g->delta, runs, question);
    case RandomCheckIn::Kind::sliding:  // Theorem 4.3 is printed for p0 = 1, the worst case
      return published_sliding_window_bounds(m, g->epsilon, g->delta, runs, question);
    case RandomCheckIn::Kind::averaged:
      break;
  }
  if (p0 < 1) return {};  // Theorem 4.1 is printed for p0 = 1 only
  return published_averaged_updates_bounds(n, m, g->epsilon, g->delta, runs, question);
}

std::vector<Bound> list(const Local& local, const AggregatedCheckIn& p, std::uint64_t rounds,
                        const Question& question) {
  if (!local.gaussian) return {};
  return {timed([&] {
    return liew_theorem5_bound(count_of(p.clients()), p.rate().value(), local.gaussian->sigma(), rounds,
                               question);
  })};
}

bool equal_rates(const Participation& participation) {
  return min_message_rate(participation).value() >= message_rate(participation).value();
}

}  // namespace

std::vector<Bound> published_bounds(const Mechanism& mechanism, const Participation& participation,
                                    std::uint64_t rounds, const Question& question) {
  if (!equal_rates(participation)) return {};
  const Local local(mechanism);
  return std::visit([&](const auto& p) { return list(local, p, rounds, question); }, participation);
}

}  // namespace muster::accounting
