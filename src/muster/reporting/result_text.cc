#include "muster/reporting/result_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "muster/core/number_text.h"
#include "muster/describe/participation.h"
#include "muster/reporting/text_layout.h"

namespace muster::reporting {
namespace {

// Describes the adversary's view that the printed epsilon assumes.
const char* view_text(const protocols::Plan& plan) {
  switch (accounting::own_view(plan.participation())) {
    case accounting::View::server_trusted:
      return "the models seen, the server trusted";
    case accounting::View::sum_only:
      return "the sums alone seen";
    default:
      return "the shuffler honest";
  }
}

}  // namespace

std::string result_text(const protocols::Plan& plan, const simulation::RunResult& result) {
  const std::string slots = result.slots ? fmt::format(", {} slots", *result.slots) : "";
  std::string text = fmt::format("accuracy  {:.4f} on the test set after {}{} ({})\n", result.accuracy,
                                 count_text(result.rounds, plan.has_slots() ? "run" : "round"), slots,
                                 name_of(result.stopped));
  if (result.client_accuracy && result.worst_decile) {
    text += fmt::format("clients   {:.4f} by client, {:.4f} for the worst tenth (no epsilon covers these)\n",
                        *result.client_accuracy, *result.worst_decile);
  }
  // A result file of an older version lacks the validity and the neighbouring relation. Its epsilon is
  // proven, for replace-one.
  text += wrapped(fmt::format("{} at delta {} ({}, {}, {})", epsilon_text(result.epsilon), result.delta,
                              name_of(result.validity.value_or(accounting::Validity::proven)),
                              name_of(result.neighbouring.value_or(accounting::Neighbouring::replace_one)),
                              view_text(plan)),
                  "epsilon   ", "          ");
  if (plan.holds_several()) {
    const std::string held = plan.owner().empty()
                                 ? fmt::format("{} a client, dealt {}", plan.records(),
                                               plan.partition().value_or(protocols::Partition{}).text())
                                 : fmt::format("of one {} a client", plan.owner());
    text += wrapped(fmt::format("{}: epsilon is for one client, all its records", held), "records   ",
                    "          ");
  }
  if (const double each = result.clients_per_record.value_or(1); each > 1) {
    text += fmt::format("records   {:.3g} clients hold each, on average: epsilon is for one client's copy\n",
                        each);
  }
  if (const std::uint64_t neutral = result.neutral.value_or(0); neutral > 0) {
    text += fmt::format("neutral   {} answers, in place of vectors that were not finite\n", neutral);
  }
  text += fmt::format("time      {}, {:.0f} messages a second\n", duration_text(result.seconds),
                      result.examples_per_second);
  return text + fmt::format("folder    {}\n", result.out);
}

}  // namespace muster::reporting
