// This target is the reader of plans. An input is a TOML text, which is validated for each command. A plan
// that is accepted must be complete: it has a hash, a mechanism and stages. A plan may name the file of a
// randomizer's profile, which need not exist.
#include "muster/core/error.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"
#include "tests/fuzz/fuzz_target.h"

namespace muster::fuzz {

bool accepts(Input input) {
  const std::string text = text_of(input);
  bool by_some = false;
  for (const auto command : {protocols::Command::account, protocols::Command::calibrate,
                             protocols::Command::compare, protocols::Command::train}) {
    by_some |= accepted(
        [&] {
          const auto source = protocols::PlanSource::from_text(text, "plan.toml");
          const protocols::Plan plan = protocols::Plan::validate(source, command);
          if (plan.hash() != protocols::hash_of(plan.canonical()) || plan.stages().empty()) {
            std::abort();
          }
          static_cast<void>(plan.mechanism());
        },
        {ErrorCode::plan, ErrorCode::uncovered, ErrorCode::file});
  }
  return by_some;
}

}  // namespace muster::fuzz
