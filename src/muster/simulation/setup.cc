#include "muster/simulation/setup.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "muster/accounting/accountant.h"
#include "muster/accounting/scheduled_accountant.h"
#include "muster/core/error.h"
#include "muster/learning/data/digits.h"
#include "muster/learning/data/idx.h"
#include "muster/learning/gradients/engine.h"
#include "muster/learning/models/architecture.h"
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

constexpr std::uint64_t kMostDigits = 60'000;
constexpr std::uint64_t kTestDigits = 10'000;

learning::Architecture architecture_of(protocols::ModelKind model) {
  switch (model) {
    case protocols::ModelKind::cnn:
      return learning::Architecture::cnn;
    case protocols::ModelKind::logistic:
      return learning::Architecture::logistic;
  }
  throw Error(ErrorCode::internal, "model.kind", "", "", "a model that cannot be trained");
}

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
                    std::to_string(dimension), "not the number of answers of what is learned");
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
              "nothing to run: a description alone");
}

std::unique_ptr<randomizers::SumSampler> make_sum_sampler(const protocols::Plan& plan,
                                                          std::size_t dimension) {
  if (plan.randomizer == protocols::RandomizerKind::gaussian) {
    return randomizers::make_gaussian_sum(plan.sigma.value(), plan.clip.value(), dimension);
  }
  return randomizers::make_k_rr_sum(plan.epsilon0.value(), plan.k.value());
}

std::function<double(std::uint64_t)> epsilon_of(const accounting::Mechanism& mechanism,
                                                const std::vector<accounting::Stage>& stages, Delta delta) {
  if (stages.size() == 1) {
    const auto accountant =
        std::make_shared<const accounting::Accountant>(mechanism, stages.front().participation);
    return [accountant, delta](std::uint64_t rounds) { return accountant->epsilon_upper(rounds, delta); };
  }
  const auto accountant = std::make_shared<const accounting::ScheduledAccountant>(mechanism, stages);
  return [accountant, delta](std::uint64_t rounds) { return accountant->epsilon_upper(rounds, delta); };
}

}  // namespace

bool same_mechanism(const accounting::Mechanism& a, const accounting::Mechanism& b) { return a == b; }

void check_fidelity(const protocols::Plan& plan, Fidelity fidelity) {
  using enum protocols::RandomizerKind;
  if (fidelity == Fidelity::sum && plan.randomizer != gaussian && plan.randomizer != k_rr) {
    throw Error(
        ErrorCode::usage, "--fidelity", "sum", "message; sum with randomizer gaussian | k-rr",
        std::string("randomizer ") + name_of(plan.randomizer) + " has no draw of the sum of its messages");
  }
}

TrainingParts assemble(const protocols::Plan& plan, Accounting accounting, Fidelity fidelity) {
  check_fidelity(plan, fidelity);
  const learning::Architecture architecture = architecture_of(plan.model);
  TrainingParts parts;
  parts.gradients = learning::make_engine(architecture);
  parts.randomizer = make_randomizer(plan, parts.gradients->parameter_count());
  parts.initial = learning::initial_parameters(architecture, random::RunKey::from_seed(plan.seed));

  if (fidelity == Fidelity::sum) {
    parts.sum = make_sum_sampler(plan, parts.randomizer->dimension());
  }

  const accounting::Mechanism charged = parts.randomizer->description();
  if (!same_mechanism(charged, plan.mechanism())) {
    throw Error(ErrorCode::internal, "randomizer", accounting::describe(charged),
                accounting::describe(plan.mechanism()),
                "the randomizer that runs is not the one the plan charges");
  }
  if (accounting == Accounting::elsewhere) {
    return parts;
  }
  parts.epsilon = epsilon_of(charged, plan.stages(), Delta::of(plan.delta.value()));
  return parts;
}

learning::DataSplit load_data(const protocols::Plan& plan) {
  constexpr std::string_view kIdx = "idx:";
  if (plan.data == "digits") {
    return learning::draw_digits(std::min(plan.clients, kMostDigits), kTestDigits, plan.seed);
  }
  if (plan.data.starts_with(kIdx)) {
    return learning::load_idx(plan.data.substr(kIdx.size()));
  }
  throw Error(ErrorCode::plan, "population.data", plan.data, "digits, idx:DIR",
              "not a data set this muster reads");
}

std::string data_identity(const protocols::Plan& plan) {
  return plan.data == "digits"
             ? "digits:" + std::to_string(std::min(plan.clients, kMostDigits)) + ":" + std::to_string(plan.seed)
             : plan.data;
}

}  // namespace muster::simulation
