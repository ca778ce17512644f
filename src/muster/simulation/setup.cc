#include "muster/simulation/setup.h"

#include <fmt/format.h>

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "muster/accounting/accountant.h"
#include "muster/core/error.h"
#include "muster/core/interrupt.h"
#include "muster/plan/randomizer_table.h"

namespace muster::simulation {
namespace {

// Refuses a randomizer of one number unless the clients compute one value, and a randomizer of one answer
// among k unless they compute k values.
void check_shape(const protocols::Plan& plan, const protocols::RandomizerSpec& spec, std::size_t dimension) {
  if (spec.randomizes == protocols::Randomizes::one_answer && dimension != plan.k().value()) {
    throw Error(ErrorCode::plan, Reason::contradiction, "randomizer.k", std::to_string(plan.k().value()),
                std::to_string(dimension), "is not the number of answers of what is learned");
  }
  if (spec.randomizes == protocols::Randomizes::one_number && dimension != 1) {
    throw Error(ErrorCode::plan, Reason::inapplicable, "randomizer.kind", spec.name,
                protocols::vector_randomizers() + " for vectors",
                "randomizes one number, and a record has " + std::to_string(dimension));
  }
}

// Asks the accountant in another thread. The answer is empty if another process computes epsilon.
std::future<Charge> ask_accountant(const protocols::Plan& plan, Accounting accounting) {
  return std::async(std::launch::async, [&plan, accounting, interrupt = InterruptScope::current()] {
    const InterruptScope scope(interrupt);
    return accounting == Accounting::elsewhere ? Charge() : charge_of(plan);
  });
}

TrainingParts assemble(const protocols::Plan& plan, const learning::DataSplit& data, Fidelity fidelity,
                       std::future<Charge> answer) {
  TrainingParts parts;
  parts.plan_hash = plan.hash();
  parts.task = protocols::naming_places(plan.source(), [&] { return make_model_task(plan, data); });
  parts.randomizer = make_randomizer(plan, parts.task.function->dimension());
  if (fidelity == Fidelity::sum) {
    parts.sum =
        protocols::spec_of(plan.randomizer()).sum_sampler(plan.values(), parts.randomizer->dimension());
  }
  Charge charge = answer.get();
  parts.epsilon = std::move(charge.epsilon);
  parts.unamplified = std::move(charge.unamplified);
  return parts;
}

}  // namespace

bool same_mechanism(const accounting::Mechanism& a, const accounting::Mechanism& b) { return a == b; }

std::unique_ptr<randomizers::VectorRandomizer> make_randomizer(const protocols::Plan& plan,
                                                               std::size_t dimension) {
  const protocols::RandomizerSpec& spec = protocols::spec_of(plan.randomizer());
  if (spec.sampler == nullptr) {
    throw Error(ErrorCode::plan, Reason::inapplicable, "randomizer.kind", spec.name,
                "a randomizer that can run", "cannot run: it is a description alone");
  }
  std::unique_ptr<randomizers::VectorRandomizer> randomizer = protocols::naming_places(plan.source(), [&] {
    check_shape(plan, spec, dimension);
    return spec.sampler(plan.values(), dimension);
  });
  const accounting::Mechanism charged = randomizer->description();
  if (!same_mechanism(charged, plan.mechanism())) {
    throw Error(ErrorCode::internal, "randomizer", accounting::describe(charged),
                accounting::describe(plan.mechanism()),
                "the randomizer that runs is not the one the plan charges");
  }
  return randomizer;
}

void check_fidelity(const protocols::Plan& plan, Fidelity fidelity) {
  const protocols::RandomizerSpec& spec = protocols::spec_of(plan.randomizer());
  if (fidelity == Fidelity::sum && spec.sum_sampler == nullptr) {
    throw Error(
        ErrorCode::usage, Reason::inapplicable, "--fidelity", "sum",
        fmt::format("message; sum with randomizer {}",
                    fmt::join(protocols::randomizers_where(&protocols::RandomizerSpec::sum_sampler), " | ")),
        fmt::format("does not go with randomizer {}, which has no draw of the sum of its messages",
                    spec.name));
  }
}

Charge charge_of(const protocols::Plan& plan) {
  const auto accountant = std::make_shared<const accounting::Accountant>(plan.mechanism(), plan.stages());
  const Delta delta = Delta::of(plan.delta().value());
  return {[accountant, delta](std::uint64_t rounds) { return accountant->epsilon_upper(rounds, delta); },
          accountant->unamplified()};
}

std::function<double(std::uint64_t)> epsilon_of(const protocols::Plan& plan) {
  return charge_of(plan).epsilon;
}

TrainingParts assemble(const protocols::Plan& plan, const learning::DataSplit& data, Accounting accounting,
                       Fidelity fidelity) {
  check_fidelity(plan, fidelity);
  return assemble(plan, data, fidelity, ask_accountant(plan, accounting));
}

Prepared prepare(const protocols::Plan& plan, Accounting accounting, Fidelity fidelity) {
  check_fidelity(plan, fidelity);
  std::future<Charge> answer = ask_accountant(plan, accounting);
  Prepared prepared;
  prepared.data = load_data(plan);
  prepared.parts = assemble(plan, prepared.data, fidelity, std::move(answer));
  return prepared;
}

}  // namespace muster::simulation
