#include "muster/plan/calibration/round_variance.h"

#include <cmath>

#include "muster/core/error.h"
#include "muster/plan/randomizer_table.h"

namespace muster::protocols {
namespace {

// Returns E |report|^2 for a value of size 1, by the formulas of the samplers in one dimension.
double second_moment(const PlanValues& values) {
  const RandomizerSpec& spec = spec_of(values.randomizer);
  if (spec.second_moment == nullptr) {
    throw Error(ErrorCode::plan, Reason::inapplicable, "randomizer.kind", spec.name, "a randomizer that runs",
                "has no accuracy: what a report carries is not said");
  }
  return spec.second_moment(values);
}

// Returns the variance of the estimate if each client tosses a coin and reports with probability `included`.
// Here and below, s is the second moment of a report.
double by_coins(double s, double included, double clients) { return (s - included) / (clients * included); }

// Returns the variance of the mean of the reports of `subset` clients, which are drawn without replacement.
double by_subset(double s, double subset, double clients) {
  const double sampling = clients > 1 ? (clients - subset) / (subset * (clients - 1)) : 0;
  return (s - 1) / subset + sampling;
}

// Returns the variance of an estimate that divides the sum of the answers at `answers` slots by the expected
// number of answers that come from clients. Each of `present` clients checks in at a slot with probability
// `chosen`. A slot at which no client checked in is answered by a dummy, which holds 0.
double by_slots(double s, double answers, double chosen, double present) {
  const double filled = -std::expm1(present * std::log1p(-chosen));
  return (s - 1) / (answers * filled * filled) + 1 / (answers * filled);
}

}  // namespace

double round_variance(const PlanValues& values) {
  const double s = second_moment(values);
  const auto clients = static_cast<double>(values.clients), slots = static_cast<double>(values.slots);
  const double rate = values.rate * (1 - values.dropout.at(1));
  switch (values.protocol) {
    case Protocol::shuffle:
      return by_coins(s, 1, clients);
    case Protocol::subset:
      return by_subset(s, static_cast<double>(values.subset), clients);
    case Protocol::shuffled_check_in:
    case Protocol::aggregated_check_in:
      return by_coins(s, rate, clients);
    case Protocol::random_check_in_averaged:
      return by_coins(s, rate / slots, clients);
    case Protocol::random_check_in_fixed:
      return by_slots(s, static_cast<double>(values.batch), rate / slots, clients);
    case Protocol::random_check_in_sliding:
      return by_slots(s, 1, rate / slots, slots);
  }
  throw Error(ErrorCode::internal, "participation.protocol", name_of(values.protocol), "",
              "a protocol without a variance");
}

}  // namespace muster::protocols
