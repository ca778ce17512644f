#include "muster/theorems/swap/one_large_term.h"

#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

constexpr double kOutward = 1 + numerics::kEightThousandRoundings;
// Lowers estimates. The function f is known only as an upper bound, which has fewer correct digits where f is
// tiny.
constexpr double kInward = 1 - numerics::kEightMillionRoundings;
constexpr double kNoMore = 1e-9;  // all atoms further out are bounded together if they add at most this share

// Returns an upper bound of the mean, over D, of w f(E (1 + surplus + D / w)), where w is `weight`. Atoms of
// D that cannot matter are bounded together.
double carried(const LocalTail& local, const OthersBelowZero& others, double weight, double surplus,
               double epsilon) {
  double rest = 0;
  for (const double mass : others.masses()) rest += mass;
  double sum = 0;
  for (std::size_t i = 0; i < others.points().size(); ++i) {
    const double passed = surplus + others.points()[i] / weight;
    const double beyond =
        std::log1p(passed * (1 - numerics::kEightRoundings)) * (1 - numerics::kEightRoundings);
    // epsilon + beyond is rounded down as well, because f may be steep.
    const double f = local.divergence((epsilon + beyond) * (1 - numerics::kThreeRoundings));
    if (rest * f <= kNoMore * sum) {
      return weight * (sum + rest * f);
    }
    sum += others.masses()[i] * f;
    rest = numerics::larger(0.0, rest - others.masses()[i]);
  }
  return weight * sum;
}

// Returns a lower bound of the mean that carried() bounds from above, apart from the error of f (kInward).
double carried_from_below(const LocalTail& local, const OthersBelowZero& others, double weight,
                          double surplus, double epsilon) {
  double sum = 0;
  for (std::size_t i = 0; i < others.points().size(); ++i) {
    const double passed = surplus + others.points()[i] / weight;
    sum += others.masses()[i] * local.divergence(epsilon + std::log1p(passed * kOutward) * kOutward);
  }
  return weight * sum;
}

// Returns the mean over the weights w of carried(w, surplus), where surplus = gain (S - N + 1 - w) / w and
// gain = 1 - 1/E. A single term of weight w makes the sum positive if its likelihood ratio a/b is above E
// (1 + surplus + D / w).
template <typename Carried>
double over_weights(const LargeTermShape& shape, double gain, const Carried& carried) {
  const double places = numerics::larger(0.0, shape.threshold - shape.count);
  if (shape.weights == nullptr) {
    return carried(1, places * gain);
  }
  double sum = 0;
  for (std::size_t a = 0; a < shape.weights->values.size(); ++a) {
    const double w = shape.weights->values[a];
    sum += shape.weights->probabilities[a] * carried(w, numerics::larger(0.0, places + 1 - w) / w * gain);
  }
  return sum;
}

}  // namespace

LocalTail tail_of(const Profile& profile) {
  const auto shared = std::make_shared<const Profile>(profile);
  return {[shared](double l) { return shared->at(l); },
          [shared](double l) { return shared->alternative_tail(l); }};
}

struct OneLargeTerm::Laws {
  explicit Laws(Profile of) : profile(std::move(of)) {}
  // The key shares ownership of the weights, so that no other weights can get the same address.
  using Key = std::tuple<double, double, double, double, std::size_t, numerics::Side,
                         std::shared_ptr<const TermWeights>>;
  Profile profile;
  std::mutex mutex;
  std::map<Key, OthersBelowZero> kept;
};

OneLargeTerm::OneLargeTerm(LocalTail local, Profile profile)
    : local_(std::move(local)), laws_(std::make_shared<Laws>(std::move(profile))) {}

const OthersBelowZero& OneLargeTerm::others(const LargeTermShape& shape, double epsilon,
                                            numerics::Side side) const {
  const std::size_t interval = OthersBelowZero::interval_of(epsilon);
  const double nearest = 1 + numerics::larger(0.0, shape.threshold - shape.count);
  const OtherTerms terms{shape.count - 1, shape.rate, shape.silent, nearest, shape.weights.get()};
  const std::lock_guard lock(laws_->mutex);
  const Laws::Key key{terms.count, terms.rate, terms.silent, terms.nearest, interval, side, shape.weights};
  const auto found = laws_->kept.find(key);
  return found != laws_->kept.end()
             ? found->second
             : laws_->kept.emplace(key, OthersBelowZero(laws_->profile, terms, interval, side)).first->second;
}

numerics::UpperAndEstimate OneLargeTerm::at(const LargeTermShape& shape, double epsilon) const {
  const double gain = -std::expm1(-epsilon);  // (E - 1) / E
  const double scale = shape.factor * shape.count * shape.rate;
  const OthersBelowZero& least = others(shape, epsilon, numerics::Side::above);
  const double alone = over_weights(
      shape, gain, [&](double w, double surplus) { return carried(local_, least, w, surplus, epsilon); });
  const double two =
      (shape.count - 1) * shape.rate * local_.divergence(epsilon) * local_.alternative(epsilon);
  const double upper = numerics::as_upper_bound(scale * (alone + two) * kOutward);
  const OthersBelowZero& most = others(shape, epsilon, numerics::Side::below);
  const double below = over_weights(shape, gain, [&](double w, double surplus) {
    return carried_from_below(local_, most, w, surplus, epsilon);
  });
  return {.upper = upper,
          .estimate = numerics::smaller(upper, numerics::as_lower_bound(scale * below * kInward))};
}

}  // namespace muster::accounting
