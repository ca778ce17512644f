#include "deployment_text.h"

#include <fmt/format.h>

#include "muster/accounting/accountant.h"
#include "muster/core/number_text.h"
#include "muster/reporting/text_layout.h"

namespace muster::app {

using accounting::Accountant;

std::string guarantee_text(double epsilon, const protocols::Plan& plan) {
  return fmt::format("{} at delta {} ({}, {}, shuffler and aggregator do not collude)", epsilon_text(epsilon),
                     plan.delta().value(), name_of(Accountant::kValidity),
                     name_of(Accountant::kNeighbouring));
}

std::string labelled(const std::string& label, const std::string& text) {
  constexpr int kColumn = 10;
  return reporting::wrapped(text, fmt::format("{:<{}}", label, kColumn), std::string(kColumn, ' '));
}

std::string local_text(double epsilon, std::uint64_t opened, const protocols::Plan& plan) {
  return fmt::format("{} at delta {} is left if they do collude, in {} opened", epsilon_text(epsilon),
                     plan.delta().value(), count_text(opened, "round"));
}

void add_guarantee(reporting::JsonObject& object, const protocols::Plan& plan) {
  object.number("delta", plan.delta())
      .text("validity", name_of(Accountant::kValidity))
      .text("neighbouring", name_of(Accountant::kNeighbouring))
      .text("view", name_of(accounting::own_view(plan.participation())));
}

std::string counts_text(const service::Ledger::Counts& counts, const service::TaskDocument& task) {
  return fmt::format("{} released, {} spent, {} void: {} opened of at most {}", counts.released, counts.spent,
                     counts.voided, counts.opened, task.settings().most_rounds);
}

std::string heard_text(std::uint64_t heard, std::uint64_t needed, std::optional<std::uint64_t> check_ins) {
  return fmt::format("{} devices were heard, {} are needed", heard, needed) +
         (check_ins ? fmt::format(", {} checked in", *check_ins) : "");
}

reporting::JsonObject counts_json(const service::Ledger::Counts& counts) {
  return reporting::JsonObject()
      .unsigned_integer("released", counts.released)
      .unsigned_integer("spent", counts.spent)
      .unsigned_integer("void", counts.voided)
      .unsigned_integer("opened", counts.opened);
}

}  // namespace muster::app
