#include "muster/plan/calibration/parameter_cost.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace muster::protocols {
namespace {

using accounting::Accountant;
using accounting::Question;

constexpr double kNone = std::numeric_limits<double>::infinity();

Question question_of(const Target& target) { return {Question::Kind::epsilon_at_delta, target.delta}; }

}  // namespace

ParameterCost::ParameterCost(const Plan& plan, const Parameter& parameter, const Target& target)
    : plan_(plan), parameter_(parameter), target_(target) {}

double ParameterCost::upper(double value) {
  const Accountant& accountant = at(value);
  const Question question = question_of(target_);
  return target_.view ? accountant.account(rounds(value), question, target_.view).best.upper.value_or(kNone)
                      : accountant.upper(rounds(value), question).value_or(kNone);
}

double ParameterCost::rough_upper(double value) {
  return target_.view ? upper(value)
                      : at(value).rough_upper(rounds(value), question_of(target_)).value_or(kNone);
}

accounting::Statement ParameterCost::statement(double value) {
  return at(value).account(rounds(value), question_of(target_), target_.view);
}

std::uint64_t ParameterCost::rounds(double value) const {
  return parameter_.knob == Knob::rounds ? static_cast<std::uint64_t>(value) : plan_.rounds();
}

const Accountant& ParameterCost::at(double value) {
  const auto same = [&](const Kept& kept) { return parameter_.knob == Knob::rounds || kept.value == value; };
  auto found = std::ranges::find_if(kept_, same);
  if (found == kept_.end()) {
    constexpr std::size_t kKept = 3;
    if (kept_.size() == kKept) {
      kept_.pop_front();
    }
    const Plan plan = plan_at(plan_, parameter_, value);
    kept_.push_back({value, std::make_unique<Accountant>(plan.mechanism(), plan.participation())});
    found = std::prev(kept_.end());
  }
  return *found->accountant;
}

}  // namespace muster::protocols
