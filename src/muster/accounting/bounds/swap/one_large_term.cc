#include "muster/accounting/bounds/swap/one_large_term.h"

#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

constexpr double kOutward = 1 + 1e-12;
constexpr double kInward = 1 - 1e-9;  // f is given from above, to fewer digits where it is tiny
constexpr double kNoMore = 1e-9;      // of a sum: what all atoms further out may add unexamined

// sum of masses * f(E (nearest + d)) from above, without the atoms whose part cannot matter.
double carried(const LocalTail& local, const OthersBelowZero& others, double beyond, double epsilon) {
  double rest = 0;
  for (const double mass : others.masses()) rest += mass;
  double sum = 0;
  for (std::size_t i = 0; i < others.points().size(); ++i) {
    const double f =
        local.divergence(epsilon + std::log1p((beyond + others.points()[i]) * (1 - 1e-15)) * (1 - 1e-15));
    if (rest * f <= kNoMore * sum) {
      return sum + rest * f;
    }
    sum += others.masses()[i] * f;
    rest = numerics::larger(0.0, rest - others.masses()[i]);
  }
  return sum;
}

}  // namespace

struct OneLargeTerm::Laws {
  explicit Laws(Profile of) : profile(std::move(of)) {}
  using Key = std::tuple<double, double, double, double, std::size_t, OthersBelowZero::Side>;
  Profile profile;
  std::mutex mutex;
  std::map<Key, OthersBelowZero> kept;
};

OneLargeTerm::OneLargeTerm(LocalTail local, Profile profile)
    : local_(std::move(local)), laws_(std::make_shared<Laws>(std::move(profile))) {}

const OthersBelowZero& OneLargeTerm::others(const LargeTermShape& shape, double epsilon,
                                            OthersBelowZero::Side side) const {
  const std::size_t interval = OthersBelowZero::interval_of(epsilon);
  const double nearest = 1 + numerics::larger(0.0, shape.threshold - shape.count);
  const OtherTerms terms{shape.count - 1, shape.rate, shape.silent, nearest};
  const std::lock_guard lock(laws_->mutex);
  const Laws::Key key{terms.count, terms.rate, terms.silent, terms.nearest, interval, side};
  const auto found = laws_->kept.find(key);
  return found != laws_->kept.end()
             ? found->second
             : laws_->kept.emplace(key, OthersBelowZero(laws_->profile, terms, interval, side)).first->second;
}

numerics::Enclosure OneLargeTerm::at(const LargeTermShape& shape, double epsilon) const {
  const double gain = -std::expm1(-epsilon);  // (E - 1) / E
  const double beyond = numerics::larger(0.0, shape.threshold - shape.count) * gain;
  const double scale = shape.factor * shape.count * shape.rate;
  const double alone = carried(local_, others(shape, epsilon, OthersBelowZero::Side::above), beyond, epsilon);
  const double two =
      (shape.count - 1) * shape.rate * local_.divergence(epsilon) * local_.alternative(epsilon);
  const double upper = numerics::as_upper_bound(scale * (alone + two) * kOutward);
  double below = 0;
  const OthersBelowZero& most = others(shape, epsilon, OthersBelowZero::Side::below);
  for (std::size_t i = 0; i < most.points().size(); ++i) {
    below += most.masses()[i] *
             local_.divergence(epsilon + std::log1p((beyond + most.points()[i]) * kOutward) * kOutward);
  }
  return {numerics::smaller(upper, numerics::as_lower_bound(scale * below * kInward)), upper};
}

}  // namespace muster::accounting
