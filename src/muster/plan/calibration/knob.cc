#include "muster/plan/calibration/knob.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "muster/core/error.h"
#include "muster/plan/nearest.h"
#include "muster/plan/randomizer_table.h"

namespace muster::protocols {
namespace {

constexpr std::array kKnobs = {Knob::epsilon0, Knob::sigma,   Knob::rate,    Knob::rounds,
                               Knob::clients,  Knob::minimum, Knob::accuracy};

}  // namespace

const char* name_of(Knob knob) {
  switch (knob) {
    case Knob::epsilon0:
      return "epsilon0";
    case Knob::sigma:
      return "sigma";
    case Knob::rate:
      return "rate";
    case Knob::rounds:
      return "rounds";
    case Knob::clients:
      return "clients";
    case Knob::minimum:
      return "minimum";
    case Knob::accuracy:
      return "accuracy";
  }
  return "";
}

std::string knob_names() {
  std::string names;
  for (const Knob knob : kKnobs) {
    names += fmt::format("{}{}", names.empty() ? "" : " | ", name_of(knob));
  }
  return names;
}

Knob knob_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Knob knob : kKnobs) {
    if (name == name_of(knob)) {
      return knob;
    }
    names.emplace_back(name_of(knob));
  }
  const std::string close = nearest(name, names);
  throw Error(ErrorCode::plan, Reason::unknown, "--for", name, knob_names(),
              close.empty() ? "is nothing to solve for"
                            : fmt::format("is nothing to solve for; did you mean {}?", close));
}

std::vector<std::string_view> keys_solved_by(Knob knob) {
  if (knob == Knob::accuracy) {
    return {"randomizer.epsilon0", "randomizer.sigma", "participation.rate"};
  }
  return {parameter_of(knob).key};
}

std::vector<std::string_view> solvable_keys() {
  std::vector<std::string_view> keys;
  for (const Knob knob : kKnobs) {
    if (knob != Knob::accuracy) keys.push_back(parameter_of(knob).key);
  }
  return keys;
}

Parameter parameter_of(Knob knob) {
  constexpr double kMaxClients = 1e12;
  switch (knob) {
    case Knob::epsilon0:
      return {knob, "randomizer.epsilon0", true, false, 1e-6, 100};
    case Knob::sigma:
      return {knob, "randomizer.sigma", false, false, 0.01, 1e8};
    case Knob::rate:
      return {knob, "participation.rate", true, false, 1e-9, 1};
    case Knob::rounds:
      return {knob, "rounds.count", true, true, 1, 1e9};
    case Knob::clients:
      return {knob, "population.clients", false, true, 1, kMaxClients};
    case Knob::minimum:
      return {knob, "participation.minimum", false, true, 1, kMaxClients};
    case Knob::accuracy:
      break;
  }
  throw Error(ErrorCode::internal, "--for", name_of(knob), "", "not one parameter");
}

Parameter parameter_of(Knob knob, const Plan& plan) {
  Parameter parameter = parameter_of(knob);
  if (knob == Knob::clients) {
    parameter.min = static_cast<double>(std::max({plan.subset(), plan.minimum(), std::uint64_t{1}}));
  } else if (knob == Knob::minimum) {
    parameter.max = static_cast<double>(plan.clients());
  }
  return parameter;
}

Parameter noise_parameter(const Plan& plan) {
  return parameter_of(spec_of(plan.randomizer()).takes_sigma ? Knob::sigma : Knob::epsilon0);
}

Plan plan_at(const Plan& plan, const Parameter& parameter, double value) {
  // The text is the shortest that is read back as the same number.
  return plan.with(parameter.key, parameter.whole ? fmt::format("{}", static_cast<std::uint64_t>(value))
                                                  : fmt::format("{}", value));
}

void set_parameter(PlanValues& values, Knob knob, double value) {
  switch (knob) {
    case Knob::epsilon0:
      values.epsilon0 = value;
      return;
    case Knob::sigma:
      values.sigma = value;
      return;
    case Knob::rate:
      values.rate = value;
      return;
    case Knob::rounds:
      values.rounds = static_cast<std::uint64_t>(value);
      return;
    case Knob::clients:
      values.clients = static_cast<std::uint64_t>(value);
      return;
    case Knob::minimum:
      values.minimum = static_cast<std::uint64_t>(value);
      return;
    case Knob::accuracy:
      return;
  }
}

}  // namespace muster::protocols
