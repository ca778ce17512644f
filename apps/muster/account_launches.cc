#include "account_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "muster/accounting/launches.h"
#include "muster/core/error.h"
#include "muster/plan/keys.h"
#include "muster/plan/one_population.h"
#include "muster/reporting/launches_text.h"
#include "muster/reporting/text_layout.h"
#include "say.h"

namespace muster::app {
namespace {

using accounting::Launches;
using accounting::Question;
using reporting::LaunchShare;

// Throws Error(plan) if a client would hold other records in one plan than in another, because epsilon
// protects one client's records, which must be the same in all launches.
void require_one_population(const std::vector<NamedPlan>& plans) {
  // Plans without data are compared with none, so the first plan that names data stands for all others.
  const auto first =
      std::ranges::find_if(plans, [](const NamedPlan& each) { return !each.plan.data().empty(); });
  if (first == plans.end()) return;
  for (const NamedPlan& each : plans) {
    const auto found = protocols::population_difference(first->plan, each.plan);
    if (!found) continue;
    throw Error(
        ErrorCode::plan, Reason::contradiction, std::string(found->key), found->second,
        fmt::format("{}, as in {}", found->first, first->file),
        fmt::format("in {} is another population: launches are composed for a client who holds the same "
                    "records in all of them",
                    each.file));
  }
}

// Prints a note if the plans have different numbers of clients.
void say_whom_it_is_for(const std::vector<NamedPlan>& plans) {
  const auto differs = [&](const NamedPlan& each) {
    return each.plan.clients() != plans.front().plan.clients();
  };
  if (std::ranges::any_of(plans, differs)) {
    say("the plans have different numbers of clients: what follows is for a client who takes part in all "
        "launches");
  }
}

Launches launches_of(const std::vector<NamedPlan>& plans) {
  std::vector<accounting::Launch> launches;
  for (const NamedPlan& each : plans) launches.push_back({each.plan.mechanism(), each.plan.stages()});
  return Launches(std::move(launches));
}

std::vector<LaunchShare> shares_of(const Launches& launches, const std::vector<NamedPlan>& plans,
                                   const Question& question, bool basic) {
  std::vector<LaunchShare> shares;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    LaunchShare share{plans[i].file, launches.alone(i, question), std::nullopt};
    if (!basic) share.upper_without = launches.upper_without(i, question);
    shares.push_back(std::move(share));
  }
  return shares;
}

}  // namespace

double common_delta(const std::vector<NamedPlan>& plans) {
  const NamedPlan& first = plans.front();
  for (const NamedPlan& each : plans) {
    if (!each.plan.delta()) {
      throw Error(ErrorCode::plan, Reason::missing, "privacy.delta", "",
                  protocols::spec_of("privacy.delta").allowed(),
                  fmt::format("is missing in {}: set it there or with --delta", each.file));
    }
    if (*each.plan.delta() != *first.plan.delta()) {
      throw Error(
          ErrorCode::plan, Reason::contradiction, "privacy.delta", fmt::format("{}", *each.plan.delta()),
          fmt::format("{}, as in {}", *first.plan.delta(), first.file),
          fmt::format("in {} differs: give the delta of all launches together with --delta", each.file));
    }
  }
  return *first.plan.delta();
}

int account_launches(const std::vector<NamedPlan>& plans, const Question& question,
                     const LaunchFlags& flags) {
  require_one_population(plans);
  say_whom_it_is_for(plans);
  const Launches launches = launches_of(plans);
  const accounting::Statement all =
      flags.basic ? launches.account_adaptive(Delta::of(question.fixed())) : launches.account(question);
  const Question share = flags.basic ? launches.equal_share(Delta::of(question.fixed())) : question;
  const std::vector<LaunchShare> shares = shares_of(launches, plans, share, flags.basic);
  if (flags.json) {
    fmt::print("{}\n", reporting::launches_json(all, shares).str());
    return 0;
  }
  std::vector<protocols::Plan> unnamed;
  for (const NamedPlan& each : plans) unnamed.push_back(each.plan);
  fmt::print("{}\n{}", reporting::wrapped(reporting::launches_heading(unnamed, question)),
             reporting::launches_table(all, shares));
  return 0;
}

}  // namespace muster::app
