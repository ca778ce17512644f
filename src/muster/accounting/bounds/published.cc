#include "muster/accounting/bounds/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "muster/accounting/bounds/check_in_rdp.h"
#include "muster/accounting/bounds/published_subset.h"
#include "muster/accounting/bounds/renyi_route.h"
#include "muster/accounting/bounds/subsampled_shuffle_rdp.h"

namespace muster::accounting {
namespace {

constexpr double kPublishedSlack = 0.5;  // "we typically use Delta = 1/2", Liew et al., Remark 1

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
  const double n = static_cast<double>(protocol.clients.value()), g = protocol.rate.value();
  return {n, g, std::clamp(std::round(n * g), 1.0, n)};
}

}  // namespace

Bound check_in_rdp_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                         const Question& question, Conversion conversion) {
  const auto [n, g, subset] = numbers(protocol);
  const CheckInRdp rdp(epsilon0, n, g);
  Bound bound = answer_by_renyi([&](std::uint64_t l) { return rdp.upper(l); }, rounds, question, conversion);
  bound.id = "check-in-rdp" + std::string(id_suffix(conversion));
  bound.citation = std::string(kLiew) + "Theorem 1, with inclusion probability k/n, over " + kGirgis +
                   "Theorem 1" + citation_suffix(conversion);
  return bound;
}

Bound girgis_theorem1_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                            const Question& question, Conversion conversion) {
  const Numbers v = numbers(protocol);
  Bound bound = subset_theorem1_bound(v.clients, v.subset, epsilon0, rounds, question, conversion);
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
  Bound bound;
  bound.id = "girgis-2021-theorem-2";
  bound.validity = Validity::as_published;
  bound.assumptions = {
      fmt::format(
          "a lower bound of the Renyi divergence alone: order {}, at least {:.6g} a round, for binary "
          "randomized response and a secret subset of {:.0f} clients",
          order, subsampled_shuffle_rdp_lower(epsilon0, v.clients, v.subset, order), v.subset),
      "no lower bound on epsilon or delta follows: the paper's curve passes it through an upper conversion"};
  bound.citation = std::string(kGirgis) + "Theorem 2";
  return bound;
}

Bound liew_theorem3_bound(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t order) {
  const Numbers v = numbers(protocol);
  Bound bound;
  bound.id = "liew-2022-theorem-3";
  bound.validity = Validity::as_published;
  bound.assumptions = {
      fmt::format(
          "a lower bound of the Renyi divergence alone: order {}, at least {:.6g} a round, for binary "
          "randomized response",
          order, check_in_rdp_lower(epsilon0, v.clients, v.rate, kPublishedSlack, order)),
      "no lower bound on epsilon or delta follows: the paper's curve passes it through an upper conversion"};
  bound.citation = std::string(kLiew) + "Theorem 3";
  return bound;
}

std::vector<Bound> published_bounds(const ShuffledCheckIn& protocol, double epsilon0, std::uint64_t rounds,
                                    const Question& question) {
  std::vector<Bound> all;
  for (const Conversion c : {Conversion::canonne, Conversion::exact}) {
    all.push_back(girgis_theorem1_bound(protocol, epsilon0, rounds, question, c));
    all.push_back(liew_theorem2_bound(protocol, epsilon0, rounds, question, c));
  }
  // The lower bounds at the order the paper's own upper bound would choose.
  const Numbers v = numbers(protocol);
  const ConvertedUpper best = convert_rdp(
      [&](std::uint64_t l) { return subsampled_shuffle_rdp_upper(epsilon0, v.clients, v.subset, l); },
      std::max<std::uint64_t>(rounds, 1), question, Conversion::canonne);
  const auto order = static_cast<std::uint64_t>(best.order);
  all.push_back(girgis_theorem2_bound(protocol, epsilon0, order));
  all.push_back(liew_theorem3_bound(protocol, epsilon0, order));
  return all;
}

}  // namespace muster::accounting
