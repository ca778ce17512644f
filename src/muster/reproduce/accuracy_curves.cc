#include "muster/reproduce/accuracy_curves.h"

#include <algorithm>
#include <cmath>

#include "muster/reproduce/points.h"

namespace muster::reproduce {

namespace {

Point point_at(double x, const TrainedRound& round, const std::string& bound, Band band) {
  return {x, round.mean(), bound, band == Band::range ? round.range() : round.deviation()};
}

}  // namespace

Curve accuracy_against_epsilon(const std::string& name, Kind kind, const Trained& trained,
                               const std::function<accounting::Bound(std::uint64_t rounds)>& bound,
                               Band band) {
  Curve curve{name, kind, {}};
  for (const TrainedRound& round : trained.rounds) {
    const accounting::Bound found = bound(round.round);
    if (found.upper && std::isfinite(*found.upper)) {
      curve.points.push_back(point_at(*found.upper, round, found.id, band));
    }
  }
  return curve;
}

std::vector<Curve> accuracy_against_own(
    const std::string& proven, const std::string& lower, const Trained& trained,
    const std::function<accounting::Statement(std::uint64_t rounds)>& statement, Band band) {
  Curve above{proven, Kind::proven, {}}, below{lower, Kind::lower, {}};
  for (const TrainedRound& round : trained.rounds) {
    const accounting::Statement found = statement(round.round);
    const Point least = lower_point_of(0, found);
    if (std::isfinite(round.epsilon)) {
      above.points.push_back(point_at(round.epsilon, round, found.best.id, band));
    }
    if (least.value) below.points.push_back(point_at(*least.value, round, least.bound, band));
  }
  return {above, below};
}

Curve accuracy_by_round(const std::string& name, const Trained& trained, Band band) {
  Curve curve{.name = name, .kind = Kind::simulated, .points = {}, .joined = true};
  for (const TrainedRound& round : trained.rounds) {
    curve.points.push_back(point_at(static_cast<double>(round.round), round, "", band));
  }
  return curve;
}

const TrainedRound* first_reaching(const Trained& trained, double accuracy) {
  const auto found = std::ranges::find_if(
      trained.rounds, [&](const TrainedRound& round) { return round.mean() >= accuracy; });
  return found == trained.rounds.end() ? nullptr : &*found;
}

}  // namespace muster::reproduce
