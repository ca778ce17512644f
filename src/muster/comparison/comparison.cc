#include "muster/comparison/comparison.h"

#include <fmt/format.h>

#include <cmath>

#include "muster/comparison/central.h"
#include "muster/core/error.h"
#include "muster/plan/calibration/calibration.h"
#include "muster/plan/calibration/most_accurate.h"
#include "muster/plan/calibration/round_variance.h"
#include "muster/plan/randomizer_table.h"
#include "muster/simulation/workload.h"

namespace muster::comparison {
namespace {

using protocols::Calibration;
using protocols::Knob;
using protocols::Plan;

// Returns the view of the plan's own protocol. Any rate gives the same view, so 1 replaces a rate that is to
// be solved for.
accounting::View own_view_of(const Plan& plan) {
  const bool open = plan.checks_in() && plan.rate() == 0;
  return own_view((open ? plan.with("participation.rate", "1") : plan).participation());
}

// Returns a row with only those fields filled that do not depend on the noise.
Row unsolved_row(const Plan& plan, accounting::View view) {
  Row row;
  row.protocol = name_of(plan.protocol());
  row.randomizer = name_of(plan.randomizer());
  row.knob = name_of(noise_parameter(plan).knob);
  row.trusted = trusted_in(view);
  return row;
}

std::optional<double> variance_of(const Plan& plan) {
  return protocols::spec_of(plan.randomizer()).second_moment == nullptr
             ? std::nullopt
             : std::optional(protocols::round_variance(plan.values()));
}

// Returns the row of the plan with the noise that meets the target in `view`, or in the protocol's own view
// if `view` is empty. If no noise meets the target, or no theorem covers the plan, the row has no bound but
// gives the reason.
Row solved_row(const Plan& plan, const Request& request, std::optional<accounting::View> view) {
  Row row = unsolved_row(plan, view.value_or(own_view_of(plan)));
  protocols::Target target = request.target;
  target.view = view;
  const bool both = request.solves == Solves::accuracy && protocols::chooses_rate(plan.protocol());
  try {
    const Calibration found =
        protocols::calibrate(plan, both ? Knob::accuracy : noise_parameter(plan).knob, target);
    row.plan = found.plan;
    row.value = found.value;
    row.bound = found.statement.best;
    if (found.plan.checks_in()) row.rate = found.plan.rate();
    row.variance = variance_of(found.plan);
    row.messages = simulation::workload_of(found.plan).messages;
    if (request.records) row.bits = message_bits(found.plan, *request.records);
  } catch (const Error& refusal) {
    if (refusal.key() != "--epsilon" && refusal.code() != ErrorCode::uncovered) throw;
    row.why_not = refusal.what();
  }
  return row;
}

}  // namespace

std::string trusted_in(accounting::View view) {
  switch (view) {
    case accounting::View::shuffler_honest:
      return "the shuffler";
    case accounting::View::shuffler_colludes:
      return "nobody";
    case accounting::View::sum_only:
      return "whoever adds up";
    case accounting::View::server_trusted:
      return "the server";
  }
  return "";
}

Comparison compare(const Candidates& candidates, const Request& request, const Progress& progress) {
  protocols::check_epsilon(request.target);
  Comparison all{
      request.target,      request.solves, candidates.own.clients(), candidates.own.rounds(), {}, {},
      candidates.left_out, std::nullopt};
  const std::size_t rows = candidates.plans.size() + candidates.local.size() + 2;
  const auto begin_row = [&] {
    if (progress) progress(all.rows.size() + all.references.size(), rows);
  };
  for (const Plan& plan : candidates.plans) {
    begin_row();
    all.rows.push_back(solved_row(plan, request, std::nullopt));
  }
  for (const Plan& plan : candidates.local) {
    begin_row();
    all.references.push_back(solved_row(plan, request, accounting::View::shuffler_colludes));
    all.references.back().protocol = kLocal;
  }
  for (const auto neighbouring :
       {accounting::Neighbouring::replace_one, accounting::Neighbouring::add_remove}) {
    begin_row();
    all.references.push_back(central_row(candidates.own, request, neighbouring));
  }
  return all;
}

}  // namespace muster::comparison
