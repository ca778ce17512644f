// This target is the reader of plan.txt, the canonical text of a run's plan. The text is parsed by
// PlanSource::from_canonical(), which is more lenient than the file: it also reads lines in another order.
// Whatever plan comes of a text must be read again from its own canonical text, as the same plan. The file is
// accepted if and only if it holds exactly that text.
#include <filesystem>
#include <optional>

#include "muster/core/error.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"
#include "muster/simulation/runs/plan_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/stored_run.h"
#include "tests/support/temporary_folder.h"

namespace muster::fuzz {
namespace {

void require_complete(const protocols::Plan& plan) {
  if (plan.hash() != protocols::hash_of(plan.canonical()) || plan.stages().empty()) {
    std::abort();
  }
  static_cast<void>(plan.mechanism());
}

// The target fails if this function throws an Error.
void require_reads_again(const protocols::Plan& plan, const std::filesystem::path& file) {
  store(file, plan.canonical());
  const protocols::Plan again = simulation::read_plan(file);
  if (again.canonical() != plan.canonical() || again.stages() != plan.stages()) {
    std::abort();
  }
}

}  // namespace

bool accepts(Input input) {
  static const testing::TemporaryFolder folder;
  const std::string text = text_of(input);
  std::optional<protocols::Plan> plan;
  accepted(
      [&] {
        const auto source = protocols::PlanSource::from_canonical(text, "plan.txt");
        plan = protocols::Plan::validate(source, protocols::Command::train);
      },
      {ErrorCode::file, ErrorCode::plan, ErrorCode::uncovered});
  if (plan) {
    require_complete(*plan);
    require_reads_again(*plan, folder.path() / "written.txt");
  }
  const std::filesystem::path file = folder.path() / simulation::kPlanFile;
  store(file, text);
  const bool stored = accepted([&] { static_cast<void>(simulation::read_plan(file)); }, {ErrorCode::file});
  if (stored != (plan && plan->canonical() == text)) {
    std::abort();
  }
  return stored;
}

}  // namespace muster::fuzz
