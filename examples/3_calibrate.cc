// How much noise meets a target? A plan leaves its noise multiplier open, and calibration solves for it.
//
// This program prints the smallest sigma that keeps epsilon at most 0.03 at delta = 1e-6, and the epsilon
// that exactly this sigma costs. Then it shows how a value out of range is refused.
#include <fmt/format.h>
#include <muster/core/error.h>
#include <muster/core/number_text.h>
#include <muster/plan/calibration/calibration.h>
#include <muster/plan/source.h>

// The contents of a plan file, which PlanSource::from_file could also read. docs/plan.md explains the keys.
constexpr const char* kPlan = R"(
[population]
clients = 60000
[participation]
protocol = "shuffled-check-in"
rate = 0.1
[randomizer]
kind = "gaussian"
[rounds]
count = 100
)";

int main() {
  using namespace muster;
  using namespace muster::protocols;

  PlanSource source = PlanSource::from_text(kPlan, "the plan of this example");
  // A key that is solved for may be absent.
  const Plan plan = Plan::validate(source, Command::calibrate, keys_solved_by(Knob::sigma));
  const Calibration found = calibrate(plan, Knob::sigma, {.epsilon = 0.03, .delta = 1e-6});
  fmt::print("sigma = {}\n", found.value);
  fmt::print("epsilon is at most {}, by the bound {}\n", rounded_up(found.statement.best.upper.value()),
             found.statement.best.id);

  // Every refusal is an Error: it says what was refused in a sentence, and also carries it as data.
  try {
    source.override_key("participation.rate", "1.5");
    Plan::validate(source, Command::calibrate, keys_solved_by(Knob::sigma));
  } catch (const Error& error) {
    fmt::print("refused: {}\n", error.what());
    fmt::print("key {}, value {}, allowed {}\n", error.key(), error.value(), error.allowed());
  }
}
