#include "muster/reproduce/paper_plans.h"

#include <algorithm>

#include "muster/core/error.h"
#include "muster/reproduce/paper_sources.h"

namespace muster::reproduce {

std::vector<std::string> paper_plan_names() {
  std::vector<std::string> names;
  for (const PaperPlan& plan : kPaperPlans) names.emplace_back(plan.name);
  return names;
}

protocols::PlanSource paper_plan(const std::string& name) {
  const auto plan = std::ranges::find(kPaperPlans, name, &PaperPlan::name);
  if (plan == kPaperPlans.end()) {
    throw Error(ErrorCode::internal, name, "", "", "is no plan of plans/papers");
  }
  return protocols::PlanSource::from_text(plan->text, "plans/papers/" + name + ".toml");
}

}  // namespace muster::reproduce
