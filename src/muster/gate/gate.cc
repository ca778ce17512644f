#include "muster/gate/gate.h"

#include <fmt/format.h>

#include <cmath>

#include "muster/core/error.h"
#include "muster/gate/floor.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

// The relative rounding error that is allowed for in a delta.
constexpr double kRelativeMargin = 1e-9;
// By how much two tables of one bound may disagree, relative to epsilon.
constexpr double kDisagreement = 0.01;
// The relative amount by which epsilon may fall from one number of rounds to a larger one, because tables for
// more rounds are coarser.
constexpr double kFall = 0.02;
// If the delta asked for is smaller than this, the bound's own delta is not compared with it.
constexpr double kSmallest = 1e-300;

[[noreturn]] void fail(const std::string& bound, double value, const std::string& allowed, const char* what) {
  throw Error(ErrorCode::internal, bound, fmt::format("{:.17g}", value), allowed,
              fmt::format("{}: this is a defect, and nothing is reported", what));
}

// Whether epsilon is at least the largest privacy loss of `rounds` rounds, which is infinite for the
// Gaussian.
bool passes_every_loss(const Mechanism& mechanism, std::uint64_t rounds, double epsilon) {
  const std::optional<double> epsilon0 = pure_epsilon0(mechanism);
  if (!epsilon0) return false;
  const double largest = static_cast<double>(rounds) * *epsilon0;
  // kUlpAbove covers the rounding of the product; the number of rounds, at most 10^15, is exact.
  return epsilon >= (rounds == 1 ? largest : largest * (1 + numerics::kUlpAbove));
}

}  // namespace

double Gate::floor(const Question& question) const {
  double most = 0;
  for (const Participation& stage : stages_) {
    const double own = question.asks_epsilon() ? floor_epsilon(mechanism_, stage, view_, question.fixed())
                                               : floor_delta(mechanism_, stage, view_, question.fixed());
    if (own > most) most = own;
  }
  return most;
}

void Gate::check(const std::string& bound, std::uint64_t rounds, const Question& question, double upper,
                 const std::function<double(double)>& delta_at) const {
  if (rounds == 0 || (std::isinf(upper) && upper > 0)) return;
  if (!(upper >= 0)) fail(bound, upper, "a number >= 0", "not a bound");
  const bool asks_epsilon = question.asks_epsilon();
  const double epsilon = asks_epsilon ? upper : question.fixed(),
               delta = asks_epsilon ? question.fixed() : upper;
  // Deltas are compared at the epsilon claimed, because finding the floor's epsilon would take a search.
  const double floor_here = floor({Question::Kind::delta_at_epsilon, epsilon});
  if (!(floor_here <= delta * (1 + kRelativeMargin))) {
    fail(bound, upper,
         asks_epsilon ? fmt::format("delta {:.6g} at this epsilon is at least {:.6g}", delta, floor_here)
                      : fmt::format(">= {:.17g}", floor_here),
         "a bound fell below its independent floor");
  }
  if (!asks_epsilon) {
    if (upper == 0 && !passes_every_loss(mechanism_, rounds, epsilon)) {
      fail(bound, upper, "> 0 up to the largest loss", "a delta of 0");
    }
    return;
  }
  if (!delta_at || delta < kSmallest) return;
  // An epsilon of 0 is checked at 0 itself. Any other epsilon is checked at a slightly larger one, because
  // the bound's delta may come from another table, which differs a little.
  const double again = delta_at(epsilon > 0 ? epsilon * (1 + kDisagreement) : 0);
  if (!(again <= delta * (1 + kRelativeMargin))) {
    fail(bound, upper, fmt::format("delta {:.6g} at this epsilon is {:.6g}", delta, again),
         epsilon > 0 ? "its epsilon and its delta disagree" : "an epsilon of 0 below the total variation");
  }
}

void RisingEpsilon::check(std::uint64_t rounds, double epsilon) {
  if (!(epsilon >= largest_ * (1 - kFall)) || rounds < rounds_) {
    fail("epsilon", epsilon, fmt::format(">= {:.17g}, the value after {} rounds", largest_, rounds_),
         "epsilon fell while rounds were added");
  }
  rounds_ = rounds;
  if (epsilon > largest_) largest_ = epsilon;
}

}  // namespace muster::accounting
