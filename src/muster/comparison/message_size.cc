#include "muster/comparison/message_size.h"

#include "muster/learning/dataset.h"
#include "muster/plan/randomizer_table.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/model_task.h"

namespace muster::comparison {

Records records_of(const protocols::Plan& plan) {
  const learning::Dataset records =
      plan.data() == "digits" ? learning::Dataset{} : simulation::load_test_data(plan.values());
  return {records.shape, records.classes};
}

std::optional<std::uint64_t> message_bits(const protocols::Plan& plan, const Records& records) {
  const protocols::RandomizerSpec& spec = protocols::spec_of(plan.randomizer());
  if (spec.sampler == nullptr || (spec.takes_clip && !plan.clip())) {
    return std::nullopt;
  }
  return spec.sampler(plan.values(), simulation::client_dimension(plan, records.shape, records.classes))
      ->message_bits();
}

}  // namespace muster::comparison
