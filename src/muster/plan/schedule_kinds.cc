// The value kinds (value_kinds.h) for numbers that change with the rounds.
#include <fmt/format.h>

#include <algorithm>

#include "muster/core/error.h"
#include "muster/plan/value_kinds.h"

namespace muster::protocols {
namespace {

// Returns make(). `make` creates a schedule and checks its values, but does not know their position in the
// plan. An Error that it throws is replaced by one with the message `what` and the position.
template <typename Make>
auto located(const Stated& stated, const char* what, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    refuse(error.reason(), std::string(stated.key), stated.raw, error.allowed(), what);
  }
}

Schedule::Steps steps_value(const Stated& stated, const std::vector<RawValue>& steps) {
  Schedule::Steps schedule;
  for (const RawValue& step : steps) {
    const auto* pair = std::get_if<std::vector<RawValue>>(&step.value);
    const bool paired = pair != nullptr && pair->size() == 2;
    const auto* round = paired ? std::get_if<std::int64_t>(&(*pair)[0].value) : nullptr;
    const std::optional<double> value = paired ? toml_number((*pair)[1]) : std::nullopt;
    if (round == nullptr || *round < 1 || !value) {
      refuse(stated, Reason::malformed,
             fmt::format("has the step {}, which is not [round, value]", step.text));
    }
    // Adding 0 turns -0 into 0, so that both have the same canonical text and hash.
    schedule.emplace_back(static_cast<std::uint64_t>(*round), *value + 0.0);
  }
  return schedule;
}

// Whether the command solves for a parameter, which requires that all rounds are alike.
bool solves(Command command) { return command == Command::calibrate || command == Command::compare; }

}  // namespace

std::string Schedules::allowed(Command command) const {
  return range.text() + (solves(command) ? "" : ", or [[1, value], [round, value], ...]");
}

void Schedules::read(const Stated& stated, PlanValues& values) const {
  const auto* steps = std::get_if<std::vector<RawValue>>(&stated.raw.value);
  if (steps == nullptr) {
    field.set(values, number_value(stated, range));
    return;
  }
  const Schedule::Steps numbers = steps_value(stated, *steps);
  auto schedule = located(stated, "is not a schedule",
                          [&] { return Schedule::piecewise(numbers, std::string(stated.key).c_str()); });
  if (!std::ranges::all_of(numbers, [&](const auto& step) { return range.contains(step.second); })) {
    refuse(stated, Reason::out_of_range, "is out of range");
  }
  if (solves(stated.command) && !schedule.constant()) {
    refuse(stated, Reason::inapplicable,
           fmt::format("is a schedule, and {} answers for rounds that are alike", name_of(stated.command)));
  }
  field.set(values, std::move(schedule));
}

std::optional<std::string> Schedules::write(const PlanValues& values) const {
  const auto schedule = field.get(values);
  return schedule ? std::optional(schedule->canonical()) : std::nullopt;
}

std::string LearningRates::allowed(Command) const {
  return "number > 0, [[1, value], [round, value], ...], or \"inverse-sqrt:V\"";
}

void LearningRates::read(const Stated& stated, PlanValues& values) const {
  constexpr const char* kWhat = "is not a learning rate";
  if (const auto* steps = std::get_if<std::vector<RawValue>>(&stated.raw.value)) {
    const Schedule::Steps numbers = steps_value(stated, *steps);
    field.set(values, located(stated, kWhat, [&] { return LearningRate::piecewise(numbers); }));
    return;
  }
  constexpr std::string_view kInverseSqrt = "inverse-sqrt:";
  if (const auto* text = std::get_if<std::string>(&stated.raw.value);
      text != nullptr && text->starts_with(kInverseSqrt)) {
    const std::optional<double> number = parse_number(std::string_view(*text).substr(kInverseSqrt.size()));
    if (!number) {
      refuse(stated, Reason::malformed, "has no finite number after inverse-sqrt:");
    }
    field.set(values, located(stated, kWhat, [&] { return LearningRate::inverse_sqrt(*number); }));
    return;
  }
  const double number = any_number(stated);
  field.set(values, located(stated, kWhat, [&] { return LearningRate::constant(number); }));
}

std::optional<std::string> LearningRates::write(const PlanValues& values) const {
  const auto learning_rate = field.get(values);
  return learning_rate ? std::optional(learning_rate->canonical()) : std::nullopt;
}

}  // namespace muster::protocols
