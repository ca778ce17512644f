#include "account_launches.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>

#include "muster/accounting/launches.h"
#include "muster/core/error.h"
#include "muster/plan/keys.h"
#include "muster/reporting/launches_text.h"
#include "muster/reporting/text_layout.h"
#include "say.h"

namespace muster::app {
namespace {

using accounting::Launches;
using accounting::Question;
using reporting::LaunchShare;

// Throws Error(plan) if two plans name different data, because epsilon protects one client's records, which
// must be the same in all launches. If only the numbers of clients differ, prints a note.
void require_one_population(const std::vector<NamedPlan>& plans) {
  const NamedPlan& first = plans.front();
  bool counts_differ = false;
  for (const NamedPlan& each : plans) {
    const std::string& data = each.plan.data();
    if (!data.empty() && !first.plan.data().empty() && data != first.plan.data()) {
      throw Error(
          ErrorCode::plan, Reason::contradiction, "population.data", data,
          fmt::format("\"{}\", as in {}", first.plan.data(), first.file),
          fmt::format("in {} is another population: launches are composed for a client who holds the same "
                      "records in all of them",
                      each.file));
    }
    counts_differ = counts_differ || each.plan.clients() != first.plan.clients();
  }
  if (counts_differ) {
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
  const Launches launches = launches_of(plans);
  const accounting::Statement all =
      flags.basic ? launches.account_adaptive(Delta::of(question.fixed())) : launches.account(question);
  const Question share = flags.basic ? launches.equal_share(Delta::of(question.fixed())) : question;
  const std::vector<LaunchShare> shares = shares_of(launches, plans, share, flags.basic);
  if (flags.json) {
    fmt::print("{}\n", reporting::launches_json(all, shares).str());
    return 0;
  }
  fmt::print("{}\n{}",
             reporting::wrapped(
                 fmt::format("{} launches, one after another, for a client who takes part in all; "
                             "{} = {}",
                             plans.size(), question.asks_epsilon() ? "delta" : "epsilon", question.fixed())),
             reporting::launches_table(all, shares));
  return 0;
}

}  // namespace muster::app
