// Reproduces Figure 1, left: epsilon of the shuffle Gaussian as a function of the number of compositions,
// with and without shuffling.
#include <fmt/format.h>

#include <cmath>

#include "muster/accounting/accountant.h"
#include "muster/papers/published/published_shuffle_gaussian.h"
#include "muster/papers/renyi/shuffle_gaussian_rdp.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/shuffle_gaussian/shuffle_gaussian.h"

namespace muster::reproduce {
namespace {

using accounting::Conversion;
using accounting::Question;
namespace published = accounting::published_shuffle_gaussian;

const std::vector<double> kRounds = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
constexpr std::uint64_t kHighestOrder = 2048;  // the highest Renyi order for the claim about Corollary 1

Finding amplification(const Curve& alone, const Curve& shuffled) {
  double least = value_at(alone, 0) / value_at(shuffled, 0);
  for (std::size_t i = 1; i < alone.points.size(); ++i) {
    least = std::fmin(least, value_at(alone, i) / value_at(shuffled, i));
  }
  return {"001-figure-1a-amplification",
          least > 2   ? Verdict::holds
          : least > 1 ? Verdict::holds_with_a_note
                      : Verdict::is_false,
          fmt::format(
              "Without shuffling epsilon is at least {:.3g} times as large at each number of compositions.",
              least)};
}

Finding corollary(double clients, double t) {
  const accounting::Divergence shuffled = published::theorem1(clients, t);
  std::uint64_t violated = 0;
  for (std::uint64_t order = 2; order <= kHighestOrder && violated == 0; ++order) {
    if (!(shuffled(order) <= published::corollary1(t, order))) violated = order;
  }
  return {"001-figure-1a-corollary", violated == 0 ? Verdict::holds : Verdict::is_false,
          violated == 0
              ? fmt::format("Theorem 1 is at most lambda / (2 sigma^2) at every order to {}.", kHighestOrder)
              : fmt::format("Theorem 1 exceeds lambda / (2 sigma^2) at order {}.", violated)};
}

Finding conjecture_1(double t, std::uint64_t last_order) {
  std::string violated;
  for (std::uint64_t order = 2; order <= last_order; ++order) {
    double before = published::theorem1(1, t)(order);
    for (int power = 1; power <= 17; ++power) {
      const double clients = std::ldexp(1, power), now = published::theorem1(clients, t)(order);
      if (!(now < before)) violated = fmt::format("at order {} from n = {} on", order, clients / 2);
      before = now;
    }
  }
  return {"001-figure-1a-conjecture-1", violated.empty() ? Verdict::holds : Verdict::is_false,
          violated.empty()
              ? fmt::format("The divergence falls over n = 1, 2, 4, ..., 2^17 at orders 2 to {}; it is a "
                            "theorem (docs/theory/as-published-shuffle-gaussian.md).",
                            last_order)
              : "The divergence does not fall " + violated + "."};
}

}  // namespace

PaperFigure shuffle_gaussian_figure_1a() {
  const double clients = number_of("001-table-1-parameters", 0),
               sigma = number_of("001-table-1-parameters", 1);
  const auto last_order = static_cast<std::uint64_t>(number_of("001-table-1-orders"));
  const Question question{Question::Kind::epsilon_at_delta, 1 / clients};
  const accounting::Accountant accountant(accounting::GaussianLocal{sigma},
                                          accounting::Shuffle{ClientCount::of(whole(clients))});
  PaperFigure figure;
  figure.x = {"number of compositions", true};
  figure.y = {"epsilon at delta = 1/n", true};
  figure.settings = {{"n =", grouped(clients) + ", as in Table 1", true},
                     {"sigma =", fmt::format("{}, as in Table 1", sigma), true},
                     {"orders to", fmt::format("{}, as in Table 1", last_order), true},
                     {"compositions", "1 to 1,000", true}};
  const Curve alone =
      curve_of("no shuffling: Corollary 1, distance 1", Kind::published, kRounds, [&](double t) {
        return point_of(t, accounting::shuffle_gaussian_corollary1_bound(1 / sigma, whole(t), question));
      });
  const Curve shuffled =
      curve_of("Theorem 1, orders to 30, distance 1", Kind::published, kRounds, [&](double t) {
        return point_of(t, accounting::shuffle_gaussian_theorem1_bound(clients, 1 / sigma, whole(t), question,
                                                                       Conversion::canonne, last_order));
      });
  const Curve at_diameter =
      curve_of("RDP, every order, at distance 2: conditional", Kind::corrected, kRounds, [&](double t) {
        return point_of(
            t, accounting::shuffle_gaussian_rdp_bound(accounting::RenyiCrowd::all(clients), 2 / sigma,
                                                      whole(t), question, Conversion::canonne));
      });
  figure.curves = {alone, shuffled, at_diameter};
  for (Curve& curve :
       proven_and_lower("any two records of norm at most 1, any dimension", "one pair of data sets", kRounds,
                        [&](double t) { return accountant.account(whole(t), question); })) {
    figure.curves.push_back(std::move(curve));
  }
  figure.findings = {amplification(alone, shuffled), corollary(clients, 1 / sigma),
                     conjecture_1(1 / sigma, last_order)};
  return figure;
}

}  // namespace muster::reproduce
