#include "muster/simulation/setup.h"

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "muster/accounting/accountant.h"
#include "muster/core/error.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/gaussian_sum.h"
#include "muster/randomizers/k_rr.h"
#include "muster/randomizers/k_rr_sum.h"
#include "muster/randomizers/l1.h"
#include "muster/randomizers/l2.h"
#include "muster/randomizers/laplace.h"
#include "muster/randomizers/ldp_sgd.h"
#include "muster/randomizers/linf.h"

namespace muster::simulation {
namespace {

std::unique_ptr<randomizers::VectorRandomizer> make_randomizer(const protocols::Plan& plan,
                                                               std::size_t dimension) {
  using enum protocols::RandomizerKind;
  switch (plan.randomizer) {
    case ldp_sgd:
      return randomizers::make_ldp_sgd(plan.epsilon0.value(), plan.clip.value(), dimension);
    case gaussian:
      return randomizers::make_gaussian(plan.sigma.value(), plan.clip.value(), dimension);
    case l1:
      return randomizers::make_l1(plan.epsilon0.value(), plan.clip.value(), dimension);
    case l2:
      return randomizers::make_l2(plan.epsilon0.value(), plan.clip.value(), dimension);
    case linf:
      return randomizers::make_linf(plan.epsilon0.value(), plan.clip.value(), dimension);
    case k_rr:
      if (dimension != plan.k.value()) {
        throw Error(ErrorCode::plan, "randomizer.k", std::to_string(plan.k.value()),
                    std::to_string(dimension), "is not the number of answers of what is learned");
      }
      return randomizers::make_k_rr(plan.epsilon0.value(), plan.k.value());
    case laplace:
      if (dimension != 1) {
        throw Error(ErrorCode::plan, "randomizer.kind", "laplace",
                    "ldp-sgd | gaussian | l1 | l2 | linf for vectors",
                    "randomizes one number, and a record has " + std::to_string(dimension));
      }
      return randomizers::make_laplace(plan.epsilon0.value(), plan.clip.value());
    case pure:
      break;
  }
  throw Error(ErrorCode::plan, "randomizer.kind", name_of(plan.randomizer), "a randomizer that can run",
              "cannot run: it is a description alone");
}

std::unique_ptr<randomizers::SumSampler> make_sum_sampler(const protocols::Plan& plan,
                                                          std::size_t dimension) {
  if (plan.randomizer == protocols::RandomizerKind::gaussian) {
    return randomizers::make_gaussian_sum(plan.sigma.value(), plan.clip.value(), dimension);
  }
  return randomizers::make_k_rr_sum(plan.epsilon0.value(), plan.k.value());
}

using EpsilonOfRounds = std::function<double(std::uint64_t)>;

// Builds the epsilon function in another thread; it is empty if another process computes epsilon.
std::future<EpsilonOfRounds> charge(const protocols::Plan& plan, Accounting accounting) {
  return std::async(std::launch::async, [&plan, accounting] {
    return accounting == Accounting::elsewhere ? EpsilonOfRounds() : epsilon_of(plan);
  });
}

TrainingParts assemble(const protocols::Plan& plan, const learning::DataSplit& data, Fidelity fidelity,
                       std::future<EpsilonOfRounds> epsilon) {
  TrainingParts parts;
  parts.task = make_model_task(plan, data);
  parts.randomizer = make_randomizer(plan, parts.task.function->dimension());
  if (fidelity == Fidelity::sum) {
    parts.sum = make_sum_sampler(plan, parts.randomizer->dimension());
  }
  const accounting::Mechanism charged = parts.randomizer->description();
  if (!same_mechanism(charged, plan.mechanism())) {
    throw Error(ErrorCode::internal, "randomizer", accounting::describe(charged),
                accounting::describe(plan.mechanism()),
                "the randomizer that runs is not the one the plan charges");
  }
  parts.epsilon = epsilon.get();
  return parts;
}

}  // namespace

bool same_mechanism(const accounting::Mechanism& a, const accounting::Mechanism& b) { return a == b; }

void check_fidelity(const protocols::Plan& plan, Fidelity fidelity) {
  using enum protocols::RandomizerKind;
  if (fidelity == Fidelity::sum && plan.randomizer != gaussian && plan.randomizer != k_rr) {
    throw Error(ErrorCode::usage, "--fidelity", "sum", "message; sum with randomizer gaussian | k-rr",
                std::string("does not go with randomizer ") + name_of(plan.randomizer) +
                    ", which has no draw of the sum of its messages");
  }
}

std::function<double(std::uint64_t)> epsilon_of(const protocols::Plan& plan) {
  const auto accountant = std::make_shared<const accounting::Accountant>(plan.mechanism(), plan.stages());
  const Delta delta = Delta::of(plan.delta.value());
  return [accountant, delta](std::uint64_t rounds) { return accountant->epsilon_upper(rounds, delta); };
}

TrainingParts assemble(const protocols::Plan& plan, const learning::DataSplit& data, Accounting accounting,
                       Fidelity fidelity) {
  check_fidelity(plan, fidelity);
  return assemble(plan, data, fidelity, charge(plan, accounting));
}

Prepared prepare(const protocols::Plan& plan, Accounting accounting, Fidelity fidelity) {
  check_fidelity(plan, fidelity);
  std::future<EpsilonOfRounds> epsilon = charge(plan, accounting);
  Prepared prepared;
  prepared.data = load_data(plan);
  prepared.parts = assemble(plan, prepared.data, fidelity, std::move(epsilon));
  return prepared;
}

}  // namespace muster::simulation
