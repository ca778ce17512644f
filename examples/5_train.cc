// How accurate is a model that learns privately? Five thousand clients hold one drawn digit each. They train
// the last layer of a network whose other layers learned from public drawings.
//
// This program runs every client of every round. It prints the logged rounds, and then the accuracy on the
// test set and the epsilon of the run. The run stays in the folder that the command line names.
#include <fmt/format.h>
#include <muster/core/number_text.h>
#include <muster/plan/source.h>
#include <muster/simulation/training.h>

using namespace muster;

constexpr const char* kPlan = R"(
[population]
clients = 5000
data = "digits"
[participation]
protocol = "shuffled-check-in"
rate = 0.2
[randomizer]
kind = "ldp-sgd"
epsilon0 = 2.0
clip = 0.1
[rounds]
count = 20
log_every = 5
learning_rate = 10.0
[model]
kind = "features+linear"
pretrain_epochs = 1
[privacy]
delta = 1e-5
)";

// Prints the rounds that are logged.
class Printer final : public simulation::TrainingObserver {
  void started(std::uint64_t, std::uint64_t, const simulation::Expected&) override {}
  void round_done(std::uint64_t) override {}
  void logged(const simulation::Measurement& round) override {
    fmt::print("{:5}    {:.4f}   {:>6}  {:9}\n", round.round, round.accuracy, epsilon_text(round.epsilon),
               round.check_ins);
  }
};

int main(int count, char** arguments) {
  using namespace muster::protocols;
  const Plan plan = Plan::validate(PlanSource::from_text(kPlan, "the plan of this example"), Command::train);
  simulation::RunFolder folder(count > 1 ? arguments[1] : simulation::run_name(plan));
  if (folder.found() == simulation::RunFolder::Found::finished) {
    fmt::print(stderr, "{} holds a finished run\n", folder.path().string());
    return 1;
  }

  // Loads the data and the accountant, and makes the randomizer that the plan charges. No other can be used.
  const simulation::Prepared prepared = simulation::prepare(plan);
  fmt::print("round  accuracy  epsilon  check-ins\n");
  Printer printer;
  const simulation::RunResult result =
      simulation::train(plan, prepared.parts, prepared.data, folder, {.threads = 2}, printer);

  fmt::print("\naccuracy  {:.4f} after {} rounds\n", result.accuracy, result.rounds);
  fmt::print("epsilon   {} at delta {}\n", epsilon_text(result.epsilon), result.delta);
}
