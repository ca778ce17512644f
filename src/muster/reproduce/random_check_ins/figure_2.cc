// Reproduces Figure 2: epsilon after shuffling as a function of epsilon0, by Theorem 5.1 and by Theorem 7 of
// Erlingsson et al. (2019), which the paper cites as [19] and states in its Section 5.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "muster/accounting/accountant.h"
#include "muster/papers/published/published_random_check_in.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/random_check_ins/random_check_ins.h"

namespace muster::reproduce {
namespace {

using accounting::Question;
namespace published = accounting::random_check_in;

constexpr double kSimilar = 2;   // two values are called similar if neither is more than twice the other
constexpr double kMany = 1e18;   // users, enough to make all terms but the leading one negligible
constexpr double kExact = 1e-4;  // the relative size allowed for those terms at kMany users

struct Setup {
  double delta = number_of("002-figure-2-delta");
  std::vector<double> users = numbers_of("002-figure-2-users");  // two for Theorem 5.1, then two for [19]
  std::vector<double> epsilon0 = arithmetic(0.1, 2, 20);
};

double theorem51(double epsilon0, double n, double delta) {
  return published::shuffling(epsilon0, n).epsilon_as_published(delta);
}

// Returns epsilon by [19] divided by epsilon by Theorem 5.1, at an n so large that only leading terms count.
double leading_ratio(double epsilon0, double delta) {
  return published::erlingsson_2019_upper(epsilon0, kMany, delta) / theorem51(epsilon0, kMany, delta);
}

Finding similar(const Setup& setup) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  std::string reach;
  double last = 0;
  for (std::size_t pair = 0; pair < 2; ++pair) {
    const double n = setup.users.at(pair), of_19 = setup.users.at(pair + 2);
    for (const double epsilon0 : setup.epsilon0) {
      const double ours = theorem51(epsilon0, n, setup.delta),
                   theirs = published::erlingsson_2019_upper(epsilon0, of_19, setup.delta);
      if (!(ours < epsilon0 && theirs < epsilon0)) continue;
      least = std::min(least, ours / theirs);
      most = std::max(most, ours / theirs);
      last = epsilon0;
    }
    reach += fmt::format("{}epsilon0 = {:.1f} for n = {}", pair == 0 ? "" : " and ", last, power_of_ten(n));
  }
  // Leading terms fall like 1 / sqrt(n). So if r is the ratio of the leading terms at equal n, [19] needs r^2
  // times as many users for the same value.
  const double fewer = number_of("002-abstract-fewer-users"), first = setup.epsilon0.front(),
               at_first = std::pow(leading_ratio(first, setup.delta), 2),
               at_last = std::pow(leading_ratio(last, setup.delta), 2);
  return {
      "002-figure-2-similar", least >= 1 / kSimilar && most <= kSimilar ? Verdict::holds : Verdict::is_false,
      fmt::format("Theorem 5.1 over [19] with ten times the users lies between {:.2f} and {:.2f} wherever "
                  "both are below epsilon0, which is up to {}. By the leading terms [19] needs {:.1f} times "
                  "the users of Theorem 5.1 at epsilon0 = {:.1f} and {:.1f} times at {:.1f}; {} times at "
                  "{:.2f}.",
                  least, most, reach, at_first, first, at_last, last, fewer,
                  std::log(fewer / at_first) + first)};
}

Finding improvement(const Setup& setup) {
  const double exponent = number_of("002-intro-improvement");
  double worst = 0;
  for (const double epsilon0 : setup.epsilon0) {
    const double expected = 2 * std::exp(exponent * epsilon0);
    worst = std::max(worst, std::fabs(leading_ratio(epsilon0, setup.delta) / expected - 1));
  }
  return {
      "002-figure-2-improvement", worst < kExact ? Verdict::holds : Verdict::is_false,
      fmt::format("The leading term of [19] over that of Theorem 5.1 is 2 e^({} epsilon0) for epsilon0 from "
                  "{:.1f} to {:.1f}, up to a relative difference of {:.1g}.",
                  exponent, setup.epsilon0.front(), setup.epsilon0.back(), worst)};
}

std::vector<Curve> published_curves(const Setup& setup, const std::vector<double>& clients) {
  std::vector<Curve> curves;
  for (const double n : clients) {
    curves.push_back(curve_of("Theorem 5.1, n = " + power_of_ten(n), Kind::published, setup.epsilon0,
                              [&](double epsilon0) {
                                return Point{epsilon0, theorem51(epsilon0, n, setup.delta), ""};
                              }));
  }
  for (const double n : clients) {
    curves.push_back(curve_of(
        "[19, Theorem 7], n = " + power_of_ten(n), Kind::published, setup.epsilon0, [&](double epsilon0) {
          return Point{epsilon0, published::erlingsson_2019_upper(epsilon0, n, setup.delta), ""};
        }));
  }
  curves.push_back(
      curve_of("no amplification, epsilon = epsilon0", Kind::published, setup.epsilon0, [](double epsilon0) {
        return Point{epsilon0, epsilon0, ""};
      }));
  return curves;
}

// A run in which everybody takes part at a uniform slot is a shuffle whose randomizers may be adaptive. This
// holds for any number of slots.
std::vector<Curve> own_curves(const Setup& setup, double n) {
  const auto clients = static_cast<std::uint64_t>(n);
  const accounting::RandomCheckIn everybody{accounting::RandomCheckIn::Kind::averaged,
                                            ClientCount::of(clients), clients, Rate::of(1)};
  const Question question{Question::Kind::epsilon_at_delta, setup.delta};
  return proven_and_lower(
      "any epsilon0-LDP randomizers, adaptive or not, n = " + power_of_ten(n),
      "randomized response, n = " + power_of_ten(n), setup.epsilon0, [&](double epsilon0) {
        return accounting::Accountant(accounting::PureLocal{epsilon0}, everybody).account(1, question);
      });
}

}  // namespace

PaperFigure random_check_ins_figure_2() {
  const Setup setup;
  const std::vector<double> clients = {setup.users.at(0), setup.users.at(1), setup.users.at(3)};
  PaperFigure figure;
  figure.x = {"epsilon0", false};
  figure.y = {"epsilon at delta = " + power_of_ten(setup.delta), true};
  figure.settings = {
      {"delta =", power_of_ten(setup.delta), false},
      {"epsilon0 from", fmt::format("{} to {}", setup.epsilon0.front(), setup.epsilon0.back()), true},
      {"n =", "10^3, 10^4 and 10^5 for every bound", true}};
  figure.curves = published_curves(setup, clients);
  std::vector<Curve> lower;
  for (const double n : clients) {
    std::vector<Curve> own = own_curves(setup, n);
    figure.curves.push_back(own.at(0));
    lower.push_back(own.at(1));
  }
  figure.curves.insert(figure.curves.end(), lower.begin(), lower.end());
  figure.findings = {similar(setup), improvement(setup)};
  return figure;
}

}  // namespace muster::reproduce
