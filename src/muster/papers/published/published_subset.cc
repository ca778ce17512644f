#include "muster/papers/published/published_subset.h"

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "muster/accounting/timed.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/papers/optimal_composition.h"
#include "muster/papers/published/published_check_in.h"
#include "muster/papers/renyi/renyi_route.h"
#include "muster/papers/renyi/subsampled_rdp.h"
#include "muster/papers/renyi/subsampled_shuffle_rdp.h"
#include "muster/theorems/everyone/clones.h"

namespace muster::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestSummed = 1e8;  // the largest subset for which Theorem 2 is summed
// Theorem 9 is not evaluated above this order, because the work grows as the square of the order.
constexpr std::uint64_t kLastOrder = 1024;

const char* const kGirgis =
    "Girgis, Data, Diggavi, Renyi differential privacy of the subsampled shuffle model in distributed "
    "learning, NeurIPS 2021, ";
const char* const kCcs =
    "Girgis, Data, Diggavi, Suresh, Kairouz, On the Renyi differential privacy of the shuffle model, CCS "
    "2021";

Bound as_plotted(const char* id, Bound bound, const std::string& curve, const std::string& wrong) {
  bound.id = id;
  bound.validity = Validity::as_published;
  bound.citation = std::string(kGirgis) + "Figure 2, " + curve;
  bound.assumptions.push_back(wrong);
  return bound;
}

// Returns a Bound by optimal composition, without an id and a citation.
Bound composed_optimally(const std::function<std::optional<double>(double delta)>& epsilon_of,
                         std::uint64_t rounds, const Question& question) {
  Bound bound;
  bound.upper = composed_optimally_upper(epsilon_of, rounds, question);
  if (!bound.upper) bound.assumptions.push_back("no epsilon at this delta");
  return bound;
}

}  // namespace

Bound subset_theorem1_bound(double clients, double subset, double epsilon0, std::uint64_t rounds,
                            const Question& question, Conversion conversion) {
  Bound bound = answer_by_renyi(
      [&](std::uint64_t l) { return subsampled_shuffle_rdp_upper(epsilon0, clients, subset, l); }, rounds,
      question, conversion);
  bound.id = "girgis-2021-theorem-1" + std::string(id_suffix(conversion));
  bound.validity = Validity::proven;
  bound.citation = std::string(kGirgis) + "Theorem 1" + citation_suffix(conversion);
  return bound;
}

Bound subset_ccs_bound(double clients, double subset, double epsilon0, std::uint64_t rounds,
                       const Question& question, Conversion conversion) {
  const auto shuffle = [&](std::uint64_t l) { return girgis_ccs_2021_upper(epsilon0, subset, l); };
  if (subset >= clients) {
    Bound bound = answer_by_renyi(shuffle, rounds, question, conversion);
    bound.id = "girgis-ccs-2021" + std::string(id_suffix(conversion));
    bound.validity = Validity::proven;
    bound.citation = std::string(kCcs) + citation_suffix(conversion);
    return bound;
  }
  const SubsampledRdp sampled(subset / clients, shuffle, epsilon0);
  Bound bound =
      answer_by_renyi([&](std::uint64_t l) { return l > kLastOrder ? kInfinity : sampled.theorem(l); },
                      rounds, question, conversion);
  bound.id = "girgis-ccs-2021-wang" + std::string(id_suffix(conversion));
  bound.validity = Validity::proven;
  bound.citation =
      std::string(kCcs) + "; Wang, Balle, Kasiviswanathan, 2019, Theorem 9" + citation_suffix(conversion);
  return bound;
}

Bound subset_plotted_lower_bound(double clients, double subset, double epsilon0, std::uint64_t rounds,
                                 const Question& question) {
  const auto rdp = [&](std::uint64_t l) {
    return subset > kLargestSummed ? kInfinity : subsampled_shuffle_rdp_lower(epsilon0, clients, subset, l);
  };
  return as_plotted(
      "girgis-2021-figure-2-lower", answer_by_renyi(rdp, rounds, question, Conversion::canonne), "curve (ii)",
      "neither an upper nor a lower bound: Theorem 2's lower bound of the divergence sent through "
      "an upper conversion");
}

Bound subset_plotted_wang_bound(double clients, double subset, double epsilon0, std::uint64_t rounds,
                                const Question& question) {
  // This is Theorem 9's sum with 2 e^eps(2) in place of the minimum in the term of order 2.
  const double rate = subset / clients;
  const auto shuffle = [&](std::uint64_t l) { return girgis_ccs_2021_upper(epsilon0, subset, l); };
  const SubsampledRdp sampled(rate, shuffle);
  const auto rdp = [&](std::uint64_t l) {
    if (l > kLastOrder) return kInfinity;
    const double m = static_cast<double>(l) - 1, full = sampled.theorem(l);
    const double second = 2 * std::exp(shuffle(2));
    const double taken = numerics::smaller(second, 4 * std::expm1(shuffle(2)));
    const double missing = rate * rate * (m + 1) * m / 2 * (second - taken);
    const double sum = std::expm1(m * full) + missing;
    return std::isfinite(sum) ? std::log1p(sum) / m : full;
  };
  return as_plotted("girgis-2021-figure-2-wang", answer_by_renyi(rdp, rounds, question, Conversion::canonne),
                    "curve (iii)",
                    "right but needlessly large: of Theorem 9's min{4 (e^eps(2) - 1), 2 e^eps(2)} only the "
                    "second is used");
}

Bound subset_strong_composition_bound(double clients, double subset, double epsilon0, std::uint64_t rounds,
                                      const Question& question) {
  const double rate = subset / clients;
  const auto epsilon_of = [&](double delta) -> std::optional<double> {
    const Guarantee shuffled =
        published_check_in::shuffled(subset, {epsilon0, 0}, numerics::smaller(1.0, delta / rate));
    return subsampled(shuffled, rate).epsilon;
  };
  return as_plotted(
      "feldman-2021-strong-composition", composed_optimally(epsilon_of, rounds, question),
      "curve (iv): Feldman, McMillan, Talwar, 2021, Theorem 3.1, closed form; subset; composed by "
      "Kairouz, Oh, Viswanath, 2015, Theorem 3.3",
      "the closed form's constants are not re-derived; the same theorem's numerical form is several "
      "times smaller");
}

double clones_epsilon_upper(double reports, double epsilon0, double delta) {
  double low = 0, high = epsilon0;  // at epsilon0 and above, the pair's delta is 0
  const auto holds = [&](double epsilon) {
    return clone_pair_delta(reports, epsilon0, epsilon).upper <=
           delta * (1 - numerics::kEightThousandRoundings);
  };
  if (holds(0)) return 0;
  while (high - low > 1e-7 * high) {
    const double middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

Bound subset_numerical_composition_bound(double clients, double subset, double epsilon0, std::uint64_t rounds,
                                         const Question& question) {
  const double rate = subset / clients;
  const auto epsilon_of = [&](double delta) -> std::optional<double> {
    const double shuffled = clones_epsilon_upper(subset, epsilon0, numerics::smaller(1.0, delta / rate));
    return subsampled({shuffled, 0}, rate).epsilon;
  };
  Bound bound = composed_optimally(epsilon_of, rounds, question);
  bound.id = "feldman-2021-numerical-composition";
  bound.validity = Validity::proven;
  bound.citation =
      "Feldman, McMillan, Talwar, 2021, the clone pair; a uniform subset: Balle, Barthe, Gaboardi, 2018, "
      "Theorem 9; "
      "composed by Kairouz, Oh, Viswanath, 2015, Theorem 3.3";
  return bound;
}

std::vector<Bound> published_subset_bounds(double clients, double subset, double epsilon0,
                                           std::uint64_t rounds, const Question& question) {
  std::vector<Bound> all;
  for (const Conversion c : {Conversion::canonne, Conversion::exact}) {
    all.push_back(
        timed([&] { return subset_theorem1_bound(clients, subset, epsilon0, rounds, question, c); }));
    all.push_back(timed([&] { return subset_ccs_bound(clients, subset, epsilon0, rounds, question, c); }));
  }
  all.push_back(
      timed([&] { return subset_numerical_composition_bound(clients, subset, epsilon0, rounds, question); }));
  all.push_back(
      timed([&] { return subset_plotted_lower_bound(clients, subset, epsilon0, rounds, question); }));
  all.push_back(
      timed([&] { return subset_plotted_wang_bound(clients, subset, epsilon0, rounds, question); }));
  all.push_back(
      timed([&] { return subset_strong_composition_bound(clients, subset, epsilon0, rounds, question); }));
  return all;
}

}  // namespace muster::accounting
