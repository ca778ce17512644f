#include "muster/accounting/gate/gate.h"

#include <fmt/format.h>

#include <cmath>

#include "muster/accounting/gate/floor.h"
#include "muster/core/error.h"

namespace muster::accounting {
namespace {

constexpr double kRoom = 1e-9;          // of a delta: what two honest roundings may differ by
constexpr double kDisagreement = 0.01;  // of an epsilon: between two tables of one bound
constexpr double kFall = 0.02;          // of an epsilon: what coarser tables for more rounds may take off
constexpr double kSmallest = 1e-300;    // deltas below are not worth a second opinion

[[noreturn]] void fail(const std::string& bound, double value, const std::string& allowed, const char* what) {
  throw Error(ErrorCode::internal, bound, fmt::format("{:.17g}", value), allowed,
              fmt::format("{}: this is a defect, and nothing is reported", what));
}

// The largest loss of so many rounds; infinite for noise without bound.
bool passes_every_loss(const Mechanism& mechanism, std::uint64_t rounds, double epsilon) {
  const std::optional<double> epsilon0 = pure_epsilon0(mechanism);
  if (!epsilon0) return false;
  const double largest = static_cast<double>(rounds) * *epsilon0;
  return epsilon >= (rounds == 1 ? largest : largest * (1 + 0x1p-52));
}

}  // namespace

double Gate::floor(const Question& question) const {
  double most = 0;
  for (const Participation& stage : stages_) {
    const double own = question.asks_epsilon() ? floor_epsilon(mechanism_, stage, view_, question.fixed)
                                               : floor_delta(mechanism_, stage, view_, question.fixed);
    if (own > most) most = own;
  }
  return most;
}

void Gate::check(const std::string& bound, std::uint64_t rounds, const Question& question, double upper,
                 const std::function<double(double)>& delta_at) const {
  if (rounds == 0 || (std::isinf(upper) && upper > 0)) return;
  if (!(upper >= 0)) fail(bound, upper, "a number >= 0", "not a bound");
  const bool asks_epsilon = question.asks_epsilon();
  const double epsilon = asks_epsilon ? upper : question.fixed, delta = asks_epsilon ? question.fixed : upper;
  // Not the floor's epsilon, which takes a search: the floor's delta at the epsilon claimed.
  const double floor_here = floor({Question::Kind::delta_at_epsilon, epsilon});
  if (!(floor_here <= delta * (1 + kRoom))) {
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
  // At 0 the bound itself must say so; elsewhere another of its tables may differ a little.
  const double again = delta_at(epsilon > 0 ? epsilon * (1 + kDisagreement) : 0);
  if (!(again <= delta * (1 + kRoom))) {
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
