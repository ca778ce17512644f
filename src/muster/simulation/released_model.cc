#include "muster/simulation/released_model.h"

#include <fmt/format.h>

#include <cmath>

#include "muster/accounting/accountant.h"

namespace muster::simulation {

StoredModel released_model(const protocols::Plan& plan, const TrainingParts& parts,
                           const std::vector<float>& reported, std::uint64_t rounds, double epsilon) {
  StoredModel model = parts.task.stored(reported);
  model.about["plan"] = plan.hash();
  model.about["rounds"] = fmt::format("{}", rounds);
  model.about["epsilon"] = std::isfinite(epsilon) ? fmt::format("{}", epsilon) : "none";
  model.about["delta"] = fmt::format("{}", plan.delta().value());
  model.about["validity"] = name_of(accounting::Accountant::kValidity);
  model.about["neighbouring"] = name_of(accounting::Accountant::kNeighbouring);
  model.about["view"] = name_of(accounting::own_view(plan.participation()));
  return model;
}

}  // namespace muster::simulation
