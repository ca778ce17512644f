// Reproduces Table 1: how epsilon grows with epsilon0 after subsampling, shuffling and random check-ins.
//
// The table prints only orders of growth, so it has no values to draw. The picture shows the formulas behind
// the orders (table_1_rows.h) at one n; the findings (table_1_claims.h) give the slopes in n.
#include <fmt/format.h>

#include <cmath>

#include "muster/accounting/accountant.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/random_check_ins/random_check_ins.h"
#include "muster/reproduce/random_check_ins/table_1_claims.h"
#include "muster/reproduce/random_check_ins/table_1_rows.h"

namespace muster::reproduce {
namespace {

using accounting::Question;

constexpr double kDrawn = 1e8;  // n of the picture
const std::vector<double> kEpsilon0 = {0.25, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4};

std::vector<Curve> published_curves() {
  std::vector<Curve> curves = {
      curve_of("no amplification, epsilon = epsilon0", Kind::published, kEpsilon0, [](double epsilon0) {
        return Point{epsilon0, epsilon0, ""};
      })};
  for (const TableRow& row : amplifying_rows()) {
    curves.push_back(curve_of(row.name, Kind::published, kEpsilon0, [&](double epsilon0) {
      return Point{epsilon0, row.epsilon(epsilon0, kDrawn), ""};
    }));
  }
  return curves;
}

struct Protocol {
  std::string name;
  accounting::Participation participation;
  std::uint64_t rounds;
};

std::vector<Protocol> protocols_of_rows() {
  const ClientCount clients = ClientCount::of(static_cast<std::uint64_t>(kDrawn));
  const double slots = table_slots(kDrawn);
  const accounting::RandomCheckIn window{accounting::RandomCheckIn::Kind::fixed, clients,
                                         static_cast<std::uint64_t>(slots), Rate::of(slots / kDrawn)};
  const auto batch = static_cast<std::uint64_t>(number_of("002-table-1-batch"));
  return {{"uniform subsampling", accounting::FixedSubset{clients, batch}, clients.value()},
          {"shuffling", accounting::Shuffle{clients}, 1},
          {"fixed window", window, static_cast<std::uint64_t>(kDrawn / slots)}};
}

// Returns the largest epsilon0 that Corollary 3.3 allows at the picture's n and m.
double corollary_reach() {
  const std::vector<double>& constants = numbers_of("002-corollary-3-3-range");
  return constants.at(0) * std::log(kDrawn / (constants.at(1) * std::sqrt(table_slots(kDrawn)))) /
         constants.at(2);
}

// States the largest relative difference between two curves. The text is appended to the name of `curve`,
// because `other` is drawn over it.
std::string beside(const Curve& curve, const Curve& other) {
  double most = 0;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    most = std::fmax(most, std::fabs(value_at(curve, i) / value_at(other, i) - 1));
  }
  const double per_cent = std::ceil(1e4 * most) / 100;  // rounded up to a hundredth
  return fmt::format(", within {:.2f}% of uniform subsampling", per_cent);
}

}  // namespace

PaperFigure random_check_ins_table_1() {
  PaperFigure figure;
  figure.x = {"epsilon0", false};
  figure.y = {fmt::format("epsilon after n = {} updates of one record", power_of_ten(kDrawn)), true};
  figure.settings = {
      {"Corollary 3.3 asks for epsilon0 at most", fmt::format("{:.2f}", corollary_reach()), false},
      {"updates of", fmt::format("{} record", number_of("002-table-1-batch")), false},
      {"n =", power_of_ten(kDrawn), true},
      {"delta =", power_of_ten(kTableDelta), true},
      {"slots of a fixed window", "m = sqrt(n), p0 = m/n, n/m runs", true},
      {"composition of rounds", "advanced, Dwork, Roth (2014), Theorem 3.20", true}};
  figure.curves = published_curves();
  std::vector<Curve> lower;
  for (const Protocol& protocol : protocols_of_rows()) {
    std::vector<Curve> own = proven_and_lower(
        protocol.name + ", any epsilon0-LDP randomizer", protocol.name + ", randomized response", kEpsilon0,
        [&](double epsilon0) {
          return accounting::Accountant(accounting::PureLocal{epsilon0}, protocol.participation)
              .account(protocol.rounds, {Question::Kind::epsilon_at_delta, kTableDelta});
        });
    if (protocol.name == "shuffling") own.at(0).name += beside(own.at(0), figure.curves.back());
    figure.curves.push_back(own.at(0));
    lower.push_back(own.at(1));
  }
  figure.curves.insert(figure.curves.end(), lower.begin(), lower.end());
  figure.findings = table_1_findings(kDrawn);
  return figure;
}

}  // namespace muster::reproduce
