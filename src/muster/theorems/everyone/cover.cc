#include "muster/theorems/cover.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "muster/core/number_text.h"
#include "muster/theorems/entry.h"
#include "muster/theorems/everyone/binary_shuffle.h"
#include "muster/theorems/everyone/blanket.h"
#include "muster/theorems/everyone/class_c_pool.h"
#include "muster/theorems/everyone/clones.h"
#include "muster/theorems/everyone/gaussian_blanket.h"
#include "muster/theorems/everyone/k_rr.h"
#include "muster/theorems/everyone/star_pool.h"
#include "muster/theorems/exact/cover.h"

namespace muster::accounting {
namespace {

constexpr const char* kBlanket =
    "Balle, Bell, Gascon, Nissim 2019, privacy blanket, expectation computed; docs/theory/blanket.md";

std::string everybody(ClientCount clients) {
  return fmt::format("{} honest clients, each reports once in the round", clients.value());
}

// --- Gaussian messages ----------------------------------------------------------------------------

// A point of the curves of the star with a pool and of the Gaussian blanket takes up to a thousand times as
// much work as a point of another bound. At deltas of 1e-20 and below, full tables of both would be too
// much work for one answer. These shares of a full table's work keep such answers below five seconds. The
// star has the larger share, because a smaller share makes its epsilon larger.
constexpr double kShareOfStar = 0.7, kShareOfBlanket = 0.3;

void cover_gaussian(const GaussianLocal& mechanism, ClientCount clients, Applicable& list) {
  const double mu = mechanism.mu(), radius = ball_radius(mechanism);
  add_shuffle_gaussian_pair(mechanism, clients, list);
  if (std::optional<StarPool> star = StarPool::over(clients.value(), mu, 1, radius)) {
    list.uppers.push_back(
        {.id = "star-pool",
         .validity = Validity::proven,
         .citation = "a star of likely senders with a pool of clones, Gaussian in any dimension; "
                     "docs/theory/star-with-a-pool.md",
         .assumptions = with_mechanism(
             mechanism,
             {everybody(clients),
              fmt::format("records at most {} noise deviations apart, in any dimension", number_text(mu))}),
         .delta = curve_of(*std::move(star)),
         .share = kShareOfStar});
  }
  list.uppers.push_back(
      {.id = "gaussian-blanket",
       .validity = Validity::proven,
       .citation = "a blanket made of the centre's law, any dimension; docs/theory/gaussian-blanket.md",
       .assumptions = with_mechanism(mechanism, {everybody(clients)}),
       .delta = curve_of(GaussianBlanket(count_of(clients), mu, radius)),
       .share = kShareOfBlanket});
}

// --- epsilon0-LDP messages ------------------------------------------------------------------------

// The common inputs of the bounds for one epsilon0-LDP mechanism.
struct PureShuffle {
  double n, epsilon0;
  double knot;  // RoundBound::knot of the bounds that have kinks
  std::vector<std::string> assumptions;
};

RoundBound class_c_pool(const Mechanism& mechanism, double epsilon0, ClientCount clients) {
  return {.id = "class-c-pool",
          .validity = Validity::proven,
          .citation =
              "the pool of displaceable messages of a sampler between 2q and 2p times "
              "one law; docs/theory/class-c-pool.md",
          .assumptions = with_mechanism(
              mechanism, {fmt::format("{} honest clients, all of them reporting", clients.value())}),
          .delta = curve_of(ClassCPoolCurve(epsilon0, count_of(clients), 1))};
}

void add_randomized_response(const KRandomizedResponse& response, const PureShuffle& all, Applicable& list) {
  const bool binary = response.k() == 2 && all.n <= BinaryShuffle::kMaxClients;
  if (binary) {
    list.uppers.push_back(
        {.id = "binary-shuffle",
         .validity = Validity::proven,
         .citation = "the worst of all data sets, exactly; docs/theory/binary-randomized-response.md",
         .assumptions = all.assumptions,
         .delta = curve_of(BinaryShuffle(all.n, all.epsilon0)),
         .knot = all.knot});
  }
  list.uppers.push_back(
      {.id = "k-rr-blanket",
       .validity = Validity::proven,
       .citation = "privacy blanket of k-ary randomized response; docs/theory/k-rr.md",
       .assumptions = all.assumptions,
       .delta = [n = all.n, k = static_cast<double>(response.k()), epsilon0 = all.epsilon0](
                    double epsilon) { return of_bound(k_rr_blanket_delta(n, k, epsilon0, epsilon)); },
       .knot = all.knot,
       .is_dominated = binary});
}

RoundBound laplace_blanket(const PureShuffle& all) {
  return {.id = "laplace-blanket",
          .validity = Validity::proven,
          .citation = kBlanket,
          .assumptions = all.assumptions,
          .delta = curve_of(LaplaceBlanket(all.n, all.epsilon0))};
}

// Makes the privacy blanket's bound, which holds for any epsilon0-LDP randomizer.
RoundBound privacy_blanket(const PureShuffle& all) {
  return {.id = "privacy-blanket",
          .validity = Validity::proven,
          .citation = kBlanket,
          .assumptions = all.assumptions,
          .delta = [n = all.n, epsilon0 = all.epsilon0](
                       double epsilon) { return of_bound(pure_blanket_delta(n, epsilon0, epsilon)); },
          .knot = all.knot};
}

RoundBound clone_pair(const PureShuffle& all) {
  return {.id = "clone-pair",
          .validity = Validity::proven,
          .citation =
              "Feldman, McMillan, Talwar 2021, hiding among the clones, the pair itself; "
              "docs/theory/clones.md",
          .assumptions = all.assumptions,
          .delta = [n = all.n, epsilon0 = all.epsilon0](
                       double epsilon) { return of_bound(clone_pair_delta(n, epsilon0, epsilon)); },
          .knot = all.knot,
          .is_dominated = true};
}

void cover_pure(const Mechanism& mechanism, double epsilon0, ClientCount clients, Applicable& list) {
  const double n = count_of(clients);
  add_homogeneous_pair(mechanism, {n, n, 1}, list);
  add_third_symbol(mechanism, {n, n, 1}, list);
  if (!summable(mechanism)) {
    list.missing = fmt::format("a plain shuffle is not computed for epsilon0 above {}", kMaxEpsilon0);
    return;
  }
  const std::size_t others = list.uppers.size();
  if (in_class_c(mechanism)) list.uppers.push_back(class_c_pool(mechanism, epsilon0, clients));
  const PureShuffle all{n, epsilon0, knot_of(epsilon0, n), with_mechanism(mechanism, {everybody(clients)})};
  if (const auto* response = std::get_if<KRandomizedResponse>(&mechanism)) {
    add_randomized_response(*response, all, list);
  }
  if (std::holds_alternative<LaplaceLocal>(mechanism)) list.uppers.push_back(laplace_blanket(all));
  RoundBound any = privacy_blanket(all);
  // A blanket or a pool that is made for this mechanism gives a bound that is never larger than that for
  // any epsilon0-LDP randomizer.
  any.is_dominated = list.uppers.size() > others;
  list.uppers.push_back(std::move(any));
  list.uppers.push_back(clone_pair(all));
}

}  // namespace

void cover(const Mechanism& mechanism, const Shuffle& p, Applicable& list) {
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    cover_gaussian(*gaussian, p.clients(), list);
  } else if (const std::optional<double> epsilon0 = pure_epsilon0(mechanism)) {
    cover_pure(mechanism, *epsilon0, p.clients(), list);
  } else {
    list.missing =
        "no theorem for a plain shuffle of a randomizer of unbounded losses that is given by its profile: "
        "let "
        "clients check in by a coin, for which a rate of 1 - 50/n is enough";
  }
}

}  // namespace muster::accounting
