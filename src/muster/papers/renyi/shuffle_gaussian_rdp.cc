#include "muster/papers/renyi/shuffle_gaussian_rdp.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "muster/papers/renyi/homogeneous_rdp.h"
#include "muster/papers/renyi/renyi_route.h"

namespace muster::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const char* const kConjecture =
    "the homogeneous pair with Delta = the records' diameter is worst: not proven, no counterexample known";

// Orders above the number of reports are used only up to this one, because they cost the most and seldom
// help.
constexpr std::uint64_t kAffordableBeyondReports = 4096;

double affordable(HomogeneousRdp& table, double reports, std::uint64_t order) {
  if (order > kAffordableBeyondReports && static_cast<double>(order) > reports) return kInfinity;
  return table.divergence(order).upper;
}

Bound converted(const RenyiCurve& rdp, std::uint64_t rounds, const Question& question, Conversion conversion,
                const std::string& theorem) {
  Bound bound = bound_of(convert_rdp(rdp, rounds, question, conversion));
  bound.citation = theorem + citation_suffix(conversion);
  return bound;
}

// Marks a bound as conditional on the conjecture, and appends the conversion to its id.
Bound conjectured(Bound bound, Conversion conversion) {
  bound.id += id_suffix(conversion);
  bound.validity = Validity::conditional;
  bound.assumptions.push_back(kConjecture);
  return bound;
}

HomogeneousRdp homogeneous(const RenyiCrowd& crowd, double mu) {
  if (crowd.subset > 0)
    return HomogeneousRdp::subset(crowd.clients, crowd.subset, RatioMoments::gaussian(mu));
  return HomogeneousRdp::check_in(crowd.clients, RatioMoments::gaussian(mu, crowd.rate));
}

RenyiCurve shuffled_gaussian(double records, double mu) {
  const auto table =
      std::make_shared<HomogeneousRdp>(HomogeneousRdp::plain(records, RatioMoments::gaussian(mu)));
  return [table, records](std::uint64_t order) { return affordable(*table, records, order); };
}

// Returns the Renyi curve with subsampling: Theorem 9 of Wang et al. (2019) for a subset, and its mixture
// over the number of reports for check-ins (subsampled_rdp.h). `mechanism(k)` is the curve on k records.
RenyiCurve subsampled(const RenyiCrowd& crowd, const std::function<RenyiCurve(double)>& mechanism,
                      double largest_loss) {
  if (crowd.subset > 0) {
    const auto one = std::make_shared<const SubsampledRdp>(crowd.subset / crowd.clients,
                                                           mechanism(crowd.subset), largest_loss);
    return [one](std::uint64_t order) { return one->upper(order); };
  }
  const auto mixture =
      std::make_shared<const CheckInMixture>(crowd.clients, crowd.rate, mechanism, largest_loss);
  return [mixture](std::uint64_t order) { return mixture->upper(order); };
}

}  // namespace

Bound shuffle_gaussian_rdp_bound(const RenyiCrowd& crowd, double mu, std::uint64_t rounds,
                                 const Question& question, Conversion conversion) {
  HomogeneousRdp table = homogeneous(crowd, mu);
  const double reports = crowd.subset > 0 ? crowd.subset : crowd.clients;
  Bound bound = converted(
      [&](std::uint64_t order) { return affordable(table, reports, order); }, rounds, question, conversion,
      "Liew, Takahashi, Shuffle Gaussian mechanism for differential privacy, 2022, Theorem 1, at "
      "the diameter, subsets and check-ins exactly");
  bound.id = "shuffle-gaussian-rdp";
  return conjectured(std::move(bound), conversion);
}

Bound shuffle_gaussian_rdp_subsampled_bound(const RenyiCrowd& crowd, double mu, std::uint64_t rounds,
                                            const Question& question, Conversion conversion) {
  const RenyiCurve rdp = subsampled(
      crowd, [mu](double records) { return shuffled_gaussian(records, mu); }, kInfinity);
  Bound bound =
      converted(rdp, rounds, question, conversion,
                "Liew, Takahashi, Shuffle Gaussian mechanism for differential privacy, 2022, equations "
                "(16) and (17), corrected, at the diameter");
  bound.id = "shuffle-gaussian-rdp-subsampled";
  return conjectured(std::move(bound), conversion);
}

Bound subset_local_rdp_bound(const RenyiCrowd& crowd, const RenyiCurve& message, double largest_loss,
                             std::uint64_t rounds, const Question& question, Conversion conversion) {
  const RenyiCurve rdp = subsampled(
      crowd, [&message](double) { return message; }, largest_loss);
  Bound bound =
      converted(rdp, rounds, question, conversion,
                "Wang, Balle, Kasiviswanathan, Subsampled Renyi differential privacy and analytical moments "
                "accountant, AISTATS 2019, Theorem 9");
  bound.id = "subset-local-rdp";
  bound.validity = Validity::proven;
  bound.id += id_suffix(conversion);
  bound.assumptions.push_back("who takes part is secret, and independent of the data");
  return bound;
}

}  // namespace muster::accounting
