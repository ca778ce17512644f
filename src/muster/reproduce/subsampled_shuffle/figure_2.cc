#include "muster/reproduce/subsampled_shuffle/figure_2.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "muster/accounting/accountant.h"
#include "muster/papers/optimal_composition.h"
#include "muster/papers/published/published_check_in.h"
#include "muster/papers/published/published_subset.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"

namespace muster::reproduce::subsampled_shuffle {
namespace {

using accounting::Bound;
using accounting::Conversion;
using accounting::Question;

constexpr double kShareOfRounds = 0.5;  // part of delta for the rounds' own deltas in the closed form of [34]

Question question_of(const Setup& setup) { return {Question::Kind::epsilon_at_delta, setup.delta}; }

// Returns the point for which the paper's text states ratios of epsilons.
Setup stated_point() {
  const double rounds = number_of("004-figure-2a-point", 0), rate = number_of("004-figure-2a-point", 1),
               epsilon0 = number_of("004-figure-2a-point", 2), clients = number_of("004-figure-2a-point", 3);
  return {clients, std::round(rate * clients), epsilon0, rounds, number_of("004-figure-2-delta")};
}

std::vector<double> parts_of(double last, const std::vector<double>& divisors) {
  std::vector<double> values;
  for (const double divisor : divisors) values.push_back(last / divisor);
  return values;
}

Panel over_rounds(const Setup& setup) {
  return {"iterations", parts_of(setup.rounds, {1000, 500, 200, 100, 50, 20, 10, 5, 2, 1}),
          [setup](double rounds) {
            Setup at = setup;
            at.rounds = rounds;
            return at;
          }};
}

// Returns the guarantee of one round, with a delta of at most `delta`, by the closed form of [24] (Feldman et
// al., 2021, Theorem 3.1) and amplification by the subset. Outside the range of the closed form, the result
// is the guarantee of a subset without a shuffler, with delta 0.
accounting::Guarantee closed_round(const Setup& setup, double delta) {
  const double rate = setup.subset / setup.clients;
  return accounting::subsampled(
      accounting::published_check_in::shuffled(setup.subset, {setup.epsilon0, 0}, std::fmin(1, delta / rate)),
      rate);
}

// Composes all rounds of closed_round by the closed form of Kairouz, Oh, Viswanath (2015), Theorem 3.5.
Point closed_composition(double x, const Setup& setup) {
  const accounting::Guarantee round = closed_round(setup, kShareOfRounds * setup.delta / setup.rounds);
  return {x,
          accounting::heterogeneous_composition_epsilon_upper(
              std::vector<accounting::Guarantee>(whole(setup.rounds), round), setup.delta),
          ""};
}

using BoundOf = std::function<Bound(const Setup& setup)>;

Curve by(const std::string& name, Kind kind, const Panel& panel, const BoundOf& bound) {
  return curve_of(name, kind, panel.xs, [&](double x) { return point_of(x, bound(panel.at(x))); });
}

BoundOf theorem_1_by(Conversion conversion) {
  return [conversion](const Setup& s) {
    return accounting::subset_theorem1_bound(s.clients, s.subset, s.epsilon0, whole(s.rounds), question_of(s),
                                             conversion);
  };
}

// The type of the functions of published_subset.h that do not let the caller choose a conversion.
using OfSubset = Bound (*)(double clients, double subset, double epsilon0, std::uint64_t rounds,
                           const Question& question);
BoundOf of_subset(OfSubset bound) {
  return [bound](const Setup& s) {
    return bound(s.clients, s.subset, s.epsilon0, whole(s.rounds), question_of(s));
  };
}

accounting::Accountant of_a_subset(const Setup& setup) {
  return {accounting::PureLocal{setup.epsilon0},
          accounting::FixedSubset{ClientCount::of(whole(setup.clients)), whole(setup.subset)}};
}

accounting::Accountant of_a_check_in(const Setup& setup) {
  return {accounting::CoordinateLocal{accounting::CoordinateLocal::Norm::linf, setup.epsilon0},
          accounting::ShuffledCheckIn{ClientCount::of(whole(setup.clients)),
                                      Rate::of(setup.subset / setup.clients)}};
}

// Returns a function that makes the statement at each point of a panel. It keeps its accountant from point to
// point while the number of clients is the same.
std::function<accounting::Statement(double x)> statements(const Panel& panel,
                                                          accounting::Accountant (*make)(const Setup&)) {
  struct Kept {
    double clients = 0;
    std::optional<accounting::Accountant> accountant;
  };
  const auto kept = std::make_shared<Kept>();
  return [kept, panel, make](double x) {
    const Setup setup = panel.at(x);
    if (kept->clients != setup.clients) {
      kept->accountant.emplace(make(setup));
      kept->clients = setup.clients;
    }
    return kept->accountant->account(whole(setup.rounds), question_of(setup));
  };
}

}  // namespace

Panel panel_a() { return over_rounds(stated_point()); }

Panel panel_b() {
  Setup setup = stated_point();
  setup.subset = number_of("004-figure-2b-subset");
  return over_rounds(setup);
}

Panel panel_c() {
  Setup setup = stated_point();
  setup.subset = number_of("004-figure-2c-subset");
  return {"clients", parts_of(setup.clients, {10, 5, 2, 1, 0.5, 0.2, 0.1}), [setup](double clients) {
            Setup at = setup;
            at.clients = clients;
            return at;
          }};
}

PaperCurves paper_curves(const Panel& panel) {
  return {
      .wang_drawn = by("(iii) shuffle [29], subset [43], of its minimum only 2 e^epsilon(2)", Kind::published,
                       panel, of_subset(accounting::subset_plotted_wang_bound)),
      .clones_drawn =
          curve_of("(iv) clones [24] in closed form, a subset, composed by the closed form of [34]",
                   Kind::published, panel.xs, [&](double x) { return closed_composition(x, panel.at(x)); }),
      .theorem_1 = by("(i) Theorem 1", Kind::published, panel, theorem_1_by(Conversion::canonne)),
      .theorem_2 = by("(ii) Theorem 2 through an upper conversion: bounds nothing", Kind::published, panel,
                      of_subset(accounting::subset_plotted_lower_bound)),
      .clones_composed = by("(iv) clones [24] in closed form, a subset, composed optimally", Kind::published,
                            panel, of_subset(accounting::subset_strong_composition_bound)),
      .theorem_1_exact = by("(i) Theorem 1 by the exact conversion, under the published curve",
                            Kind::corrected, panel, theorem_1_by(Conversion::exact)),
      .wang = by("(iii) with the whole minimum of [43]", Kind::corrected, panel,
                 [](const Setup& s) {
                   return accounting::subset_ccs_bound(s.clients, s.subset, s.epsilon0, whole(s.rounds),
                                                       question_of(s), Conversion::canonne);
                 }),
      .clones = by("(iv) with the pair of the clones evaluated exactly, composed optimally", Kind::corrected,
                   panel, of_subset(accounting::subset_numerical_composition_bound)),
  };
}

PaperFigure figure_of(const Panel& panel, const PaperCurves& papers, const std::vector<Setting>& settings) {
  const double delta = number_of("004-figure-2-delta");
  PaperFigure figure;
  figure.x = {panel.x, true};
  figure.y = {"epsilon at delta = " + power_of_ten(delta), true};
  figure.settings = {{"delta =", power_of_ten(delta), false}};
  figure.settings.insert(figure.settings.end(), settings.begin(), settings.end());
  figure.settings.push_back(
      {panel.x, fmt::format("{} to {}", grouped(panel.xs.front()), grouped(panel.xs.back())), true});
  figure.settings.push_back(
      {"for the closed form of [34], the rounds' share of delta", fmt::format("{}", kShareOfRounds), true});
  figure.curves = {papers.wang_drawn,      papers.clones_drawn,    papers.theorem_1, papers.theorem_2,
                   papers.clones_composed, papers.theorem_1_exact, papers.wang,      papers.clones};
  const std::vector<Curve> of_the_subset = proven_and_lower(
      "any epsilon0-LDP randomizer, a subset (swap theorem)",
      "one pair of data sets, randomized response, a subset", panel.xs, statements(panel, of_a_subset));
  const auto check_in = statements(panel, of_a_check_in);
  figure.curves.push_back(of_the_subset[0]);
  figure.curves.push_back(curve_of("one coordinate and one sign (class C), check-in at the same rate",
                                   Kind::proven, panel.xs,
                                   [&](double x) { return point_of(x, check_in(x).best); }));
  figure.curves.push_back(of_the_subset[1]);
  return figure;
}

bool closed_form_amplifies(const Setup& setup) {
  return closed_round(setup, setup.delta / setup.rounds).delta > 0;
}

Quotients quotients(const Curve& above, const Curve& below) {
  Quotients found{std::numeric_limits<double>::infinity(), 0};
  for (std::size_t i = 0; i < above.points.size(); ++i) {
    const double quotient = value_at(above, i) / value_at(below, i);
    found = {std::fmin(found.least, quotient), std::fmax(found.most, quotient)};
  }
  return found;
}

}  // namespace muster::reproduce::subsampled_shuffle
