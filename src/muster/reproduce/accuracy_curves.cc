#include "muster/reproduce/accuracy_curves.h"

#include <algorithm>
#include <cmath>

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
    const std::optional<double> epsilon = kind == Kind::lower ? found.lower : found.upper;
    if (epsilon && std::isfinite(*epsilon)) curve.points.push_back(point_at(*epsilon, round, found.id, band));
  }
  return curve;
}

Curve accuracy_against_proven(const std::string& name, const Trained& trained, Band band) {
  Curve curve{name, Kind::proven, {}};
  for (const TrainedRound& round : trained.rounds) {
    if (std::isfinite(round.epsilon)) curve.points.push_back(point_at(round.epsilon, round, "", band));
  }
  return curve;
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
