// Reproduces Figure 1: the Renyi divergence of one round as a function of its order. The three panels vary n,
// gamma and epsilon0.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "muster/papers/conversions/local_rdp.h"
#include "muster/papers/published/published_check_in.h"
#include "muster/papers/renyi/check_in_rdp.h"
#include "muster/papers/renyi/homogeneous_rdp.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/shuffled_check_in/shuffled_check_in.h"

namespace muster::reproduce {
namespace {

const std::vector<double> kOrders = {2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 50, 64};

struct Round {
  double clients = 100'000, rate = 0.1, epsilon0 = 1;
};

// Describes a formula, which gives one curve for each round of a panel: its name, its kind, and a function
// that returns a round's divergence as a function of the order.
struct Formula {
  const char* name;
  Kind kind;
  std::function<std::function<double(std::uint64_t)>(const Round&)> divergence;
};

double slack() { return number_of("000-remark-1-slack"); }

double exact(const Round& round, std::uint64_t order) {
  accounting::HomogeneousRdp pair = accounting::HomogeneousRdp::check_in(
      round.clients, accounting::RatioMoments::binary_response(round.epsilon0, round.rate));
  return pair.divergence(order).lower;
}

double printed_with_exponentials(const Round& round, std::uint64_t order) {
  return accounting::check_in_rdp_printed(round.epsilon0, round.clients, round.rate, slack(), order);
}

double lower(const Round& round, std::uint64_t order) {
  return accounting::check_in_rdp_lower(round.epsilon0, round.clients, round.rate, slack(), order);
}

// Returns the formulas of the figure: first those as published, then the corrected one and the lower values.
const std::vector<Formula>& formulas() {
  static const std::vector<Formula> all = {
      {"Theorem 2 as printed, with 2 epsilon0 and 8 epsilon0", Kind::published,
       [](const Round& r) {
         return [r](std::uint64_t order) {
           return accounting::published_check_in::theorem2_printed(r.epsilon0, r.clients, r.rate, slack(),
                                                                   order);
         };
       }},
      {"Theorem 2 with 2 e^epsilon0 and 8 e^epsilon0, its appendix", Kind::published,
       [](const Round& r) {
         return [r](std::uint64_t order) { return printed_with_exponentials(r, order); };
       }},
      {"Theorem 1, inclusion probability k/n given k reports", Kind::corrected,
       [](const Round& r) {
         const accounting::CheckInRdp rdp(r.epsilon0, r.clients, r.rate);
         return [rdp](std::uint64_t order) { return rdp.upper(order); };
       }},
      {"Theorem 3", Kind::lower,
       [](const Round& r) { return [r](std::uint64_t order) { return lower(r, order); }; }},
      {"binary response, all other records equal, exactly", Kind::lower,
       [](const Round& r) { return [r](std::uint64_t order) { return exact(r, order); }; }},
  };
  return all;
}

// Holds the rounds of a panel, and names each by the parameter in which the rounds differ: "n = 10,000".
struct Panel {
  std::vector<Round> rounds;
  std::vector<std::string> names;
};

// Returns the curves in the order of the formulas, and for each formula in the order of the panel's rounds.
std::vector<Curve> curves_of(const Panel& panel) {
  std::vector<Curve> curves;
  for (const Formula& formula : formulas()) {
    for (std::size_t i = 0; i < panel.rounds.size(); ++i) {
      const auto divergence = formula.divergence(panel.rounds[i]);
      curves.push_back(curve_of(fmt::format("{}; {}", formula.name, panel.names[i]), formula.kind, kOrders,
                                [&](double order) {
                                  return Point{order, divergence(static_cast<std::uint64_t>(order)), ""};
                                }));
    }
  }
  return curves;
}

PaperFigure figure_of(const Panel& panel, std::vector<Setting> settings) {
  PaperFigure figure;
  figure.x = {"Renyi order lambda", true};
  figure.y = {"Renyi divergence of one round", true};
  figure.settings = {{"Delta =", fmt::format("{}", slack()), false}, {"x axis", "the order", true}};
  figure.settings.insert(figure.settings.end(), settings.begin(), settings.end());
  figure.curves = curves_of(panel);
  return figure;
}

// Checks, for each formula, that the curves rise from each round to the next at every order (or fall, if not
// `rises`). Returns the first curve and order at which they do not, or an empty text.
std::string out_of_order(const PaperFigure& figure, std::size_t rounds, bool rises) {
  for (std::size_t first = 0; first < figure.curves.size(); first += rounds) {
    for (std::size_t i = first + 1; i < first + rounds; ++i) {
      for (std::size_t k = 0; k < kOrders.size(); ++k) {
        const double before = value_at(figure.curves[i - 1], k), now = value_at(figure.curves[i], k);
        if (!(rises ? now > before : now < before)) {
          return fmt::format("{} at order {}", figure.curves[i].name, kOrders[k]);
        }
      }
    }
  }
  return "";
}

// Compares the paper's upper and lower values with the exact divergence of one pair of data sets. No upper
// bound may lie below that divergence. The comparison is made at the drawn rounds, and at a round of two
// clients for which Theorem 2 is known to fail.
Finding enclosure(const Panel& panel) {
  bool below = true, above = true;
  for (const Round& round : panel.rounds) {
    for (const double x : kOrders) {
      const auto order = static_cast<std::uint64_t>(x);
      below = below && lower(round, order) <= exact(round, order);
      above = above && printed_with_exponentials(round, order) >= exact(round, order);
    }
  }
  const Round few{2, 0.05, 1};
  constexpr std::uint64_t kOrder = 20;
  const double upper = printed_with_exponentials(few, kOrder), truth = exact(few, kOrder);
  const bool fails = upper < truth || !above || !below;
  return {"000-figure-1a-order", fails ? Verdict::is_false : Verdict::holds,
          fmt::format(
              "At the drawn points Theorem 3 is {} and Theorem 2 {} the exact divergence of one pair. With 2 "
              "clients, gamma = 0.05, epsilon0 = 1 and order 20, Theorem 2 gives {:.4f}, and one pair has "
              "{:.4f}.",
              below ? "below" : "not below", above ? "above" : "not above", upper, truth)};
}

Finding moves_with(const char* claim, const PaperFigure& figure, std::size_t rounds, bool rises) {
  const std::string wrong = out_of_order(figure, rounds, rises);
  return {claim, wrong.empty() ? Verdict::holds : Verdict::is_false,
          wrong.empty() ? fmt::format("Each of the {} formulas {} at every order from 2 to 64.",
                                      formulas().size(), rises ? "rises" : "falls")
                        : "It does not: " + wrong + "."};
}

// Measures amplification by the divergence of the round divided by that of one message alone: the smaller
// this ratio, the stronger the amplification.
Finding amplification(const Panel& panel) {
  bool rises = true;
  std::string ratios;
  for (const double order : {2.0, 16.0, 64.0}) {
    double before = 0;
    for (const Round& round : panel.rounds) {
      const double ratio =
          exact(round, static_cast<std::uint64_t>(order)) / accounting::pure_rdp_upper(round.epsilon0, order);
      rises = rises && ratio > before;
      ratios += fmt::format("{}{:.2g}", before == 0 ? (ratios.empty() ? "" : "; ") : ", ", ratio);
      before = ratio;
    }
  }
  return {
      "000-figure-1c-epsilon0", rises ? Verdict::holds : Verdict::is_false,
      fmt::format(
          "The exact divergence of one pair over that of one message alone, with rising epsilon0, at orders "
          "2, 16 and 64: {}.",
          ratios)};
}

}  // namespace

PaperFigure shuffled_check_in_figure_1a() {
  const Panel panel{{{.clients = 10'000}, {.clients = 1'000'000}}, {"n = 10,000", "n = 1,000,000"}};
  PaperFigure figure = figure_of(
      panel, {{"n =", "10,000 and 1,000,000", true}, {"gamma =", "0.1", true}, {"epsilon0 =", "1", true}});
  figure.findings = {moves_with("000-figure-1a-n", figure, panel.rounds.size(), false), enclosure(panel)};
  return figure;
}

PaperFigure shuffled_check_in_figure_1b() {
  const Panel panel{{{.rate = 0.01}, {.rate = 0.1}}, {"gamma = 0.01", "gamma = 0.1"}};
  PaperFigure figure = figure_of(
      panel, {{"n =", "100,000", true}, {"gamma =", "0.01 and 0.1", true}, {"epsilon0 =", "1", true}});
  figure.findings = {moves_with("000-figure-1b-rate", figure, panel.rounds.size(), true)};
  return figure;
}

PaperFigure shuffled_check_in_figure_1c() {
  const Panel panel{{{.epsilon0 = 0.5}, {.epsilon0 = 2}}, {"epsilon0 = 0.5", "epsilon0 = 2"}};
  PaperFigure figure = figure_of(
      panel, {{"n =", "100,000", true}, {"gamma =", "0.1", true}, {"epsilon0 =", "0.5 and 2", true}});
  figure.findings = {amplification(panel)};
  return figure;
}

}  // namespace muster::reproduce
