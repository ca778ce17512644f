// The rows of the table of plan keys, section by section, in the order of the documentation.
#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "muster/describe/mechanism.h"
#include "muster/describe/stage.h"
#include "muster/plan/keys.h"
#include "muster/plan/randomizer_table.h"

namespace muster::protocols {
namespace {

constexpr std::uint64_t kMaxClients = 1'000'000'000'000;
constexpr std::uint64_t kMaxRecords = 1'000'000;  // the largest number of records per client
constexpr std::uint64_t kMaxSeed = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMaxEpochs = 10'000;

template <typename Enum>
KeySpec::Names names_of(std::initializer_list<Enum> enumerators) {
  KeySpec::Names names;
  std::ranges::transform(enumerators, std::back_inserter(names), [](Enum each) { return name_of(each); });
  return names;
}

std::vector<OptionOf<RandomizerKind>> randomizer_options() {
  std::vector<OptionOf<RandomizerKind>> options;
  for (const RandomizerSpec& spec : randomizer_table()) {
    options.push_back({spec.kind, spec.untrainable, spec.incomparable});
  }
  return options;
}

std::vector<KeySpec> run_keys() {
  return {
      {
          .key = "name",
          .meaning = "names the plan and its run folder",
          .values = FolderName{&PlanValues::name},
      },
      {
          .key = "seed",
          .flag = "--seed",
          .meaning = "seed of every simulated stream",
          .values = Integers{.field = &PlanValues::seed, .min = 0, .max = kMaxSeed},
          .commands = "train",
      },
  };
}

std::vector<KeySpec> population_keys() {
  return {
      {
          .key = "population.clients",
          .flag = "--clients",
          .meaning = "honest clients the accountant may count on",
          .values = Integers{.field = &PlanValues::clients, .min = 1, .max = kMaxClients},
          .needed = Needed::always,
      },
      {
          .key = "population.data",
          .flag = "--data",
          .meaning = "where the records come from; the partition says who holds which",
          .values = DataSet{.field = &PlanValues::data},
          .commands = "train",
          .needed = Needed::to_train,
      },
      {
          .key = "population.records",
          .flag = "--records",
          .meaning = "records that each client holds, or the column of csv data that names their owner; the "
                     "client's vector is the mean over them",
          .values =
              RecordsHeld{.records = &PlanValues::records, .owner = &PlanValues::owner, .max = kMaxRecords},
          .commands = "train",
          .written = Written::unless_default,
      },
      {
          .key = "population.partition",
          .flag = "--partition",
          .meaning = "how records are dealt to clients",
          .values = Partitions{&PlanValues::partition},
          .commands = "train",
          .written = Written::unless_default,
          .fallback = "shuffled if each has several, else client j holds record j",
          .fill =
              [](const Plan& plan, PlanValues& values) {
                if (plan.records() > 1) values.partition = Partition{};
              },
      },
      {
          .key = "population.share",
          .flag = "--share",
          .meaning = "lets clients share records: of too few, each holds some drawn at random",
          .values = Switch{&PlanValues::share},
          .commands = "train",
          .written = Written::unless_default,
      },
  };
}

// The keys that say how CSV data is read.
std::vector<KeySpec> csv_keys() {
  return {
      {
          .key = "population.label",
          .flag = "--label",
          .meaning = "of csv data: the column that holds the class; the last unless given",
          .values = ColumnName{&PlanValues::label},
          .commands = "train",
      },
      {
          .key = "population.split",
          .flag = "--split",
          .meaning =
              "of csv data: the column that says train or test; without it and without test data, every "
              "sixth line is a test example",
          .values = ColumnName{&PlanValues::split},
          .commands = "train",
      },
      {
          .key = "population.test_data",
          .flag = "--test-data",
          .meaning = "of csv data: a file of test examples, with the same header",
          .values = DataSet{.field = &PlanValues::test_data, .format = "csv"},
          .commands = "train",
      },
  };
}

std::vector<KeySpec> participation_keys() {
  using enum Protocol;
  const auto check_ins = names_of({shuffled_check_in, random_check_in_fixed, random_check_in_averaged,
                                   random_check_in_sliding, aggregated_check_in});
  const auto slots = names_of({random_check_in_fixed, random_check_in_averaged, random_check_in_sliding});
  return {
      {
          .key = "participation.protocol",
          .flag = "--protocol",
          .meaning = "who takes part in a round",
          .values = Choices(&PlanValues::protocol,
                            {
                                {shuffle},
                                {subset},
                                {shuffled_check_in},
                                {random_check_in_fixed},
                                {random_check_in_averaged},
                                {random_check_in_sliding},
                                {aggregated_check_in},
                            }),
          .needed = Needed::always,
      },
      {
          .key = "participation.rate",
          .flag = "--rate",
          .meaning = "the client's coin in each round; of clients whose coins differ, the lowest and the "
                     "highest",
          .values = Rates{.highest = &PlanValues::rate, .lowest = &PlanValues::min_rate, .range = kRate},
          .protocols = check_ins,
          .needed = Needed::always,
      },
      {
          .key = "participation.dropout",
          .flag = "--dropout",
          .meaning = "a second coin: a report that is lost; the effective rate is rate (1 - dropout); by "
                     "rounds",
          .values = Schedules{.field = &PlanValues::dropout, .range = kFraction},
          .protocols = check_ins,
      },
      {
          .key = "participation.subset",
          .flag = "--subset",
          .meaning = "clients drawn in secret each round",
          .values = Integers{.field = &PlanValues::subset, .min = 1, .max = kMaxClients},
          .protocols = names_of({subset}),
          .needed = Needed::always,
      },
      {
          .key = "participation.slots",
          .flag = "--slots",
          .meaning = "slots of a run, which is what rounds.count counts",
          .values = Integers{.field = &PlanValues::slots, .min = 1},
          .protocols = slots,
          .needed = Needed::always,
      },
      {
          .key = "participation.minimum",
          .flag = "--minimum",
          .meaning = "fewer reports destroy the round",
          .values = Integers{.field = &PlanValues::minimum, .min = 1},
          .protocols = names_of({aggregated_check_in}),
      },
  };
}

std::vector<KeySpec> randomizer_keys() {
  return {
      {
          .key = "randomizer.kind",
          .flag = "--randomizer",
          .meaning = "what a client does to what it sends",
          .values = Choices(&PlanValues::randomizer, randomizer_options()),
          .needed = Needed::always,
      },
      {
          .key = "randomizer.epsilon0",
          .flag = "--epsilon0",
          .meaning = "local epsilon of one message",
          .values = Numbers{.field = &PlanValues::epsilon0,
                            .range = {.low = accounting::kMinEpsilon0, .low_included = true}},
          .randomizers = randomizers_where(&RandomizerSpec::takes_epsilon0),
          .needed = Needed::always,
      },
      {
          .key = "randomizer.clip",
          .flag = "--clip",
          .meaning = "largest L2 norm of what is randomized; with l1 its L1 norm, with linf and laplace the "
                     "size of a number",
          .values = Numbers{.field = &PlanValues::clip, .range = kPositive},
          .randomizers = randomizers_where(&RandomizerSpec::takes_clip),
          .needed = Needed::to_train,
      },
      {
          .key = "randomizer.sigma",
          .flag = "--sigma",
          .meaning = "noise multiplier: deviation sigma * clip a coordinate",
          .values = Numbers{.field = &PlanValues::sigma, .range = kPositive},
          .randomizers = randomizers_where(&RandomizerSpec::takes_sigma),
          .needed = Needed::always,
      },
      {
          .key = "randomizer.k",
          .flag = "--k",
          .meaning = "number of answers",
          .values = Integers{.field = &PlanValues::k, .min = 2},
          .randomizers = randomizers_where(&RandomizerSpec::takes_k),
          .needed = Needed::always,
      },
      {
          .key = "randomizer.profile",
          .flag = "--profile",
          .meaning = "a file with the randomizer's privacy profile, or with its channel matrix",
          .values = ProfilePath{&PlanValues::profile},
          .randomizers = randomizers_where(&RandomizerSpec::takes_profile),
          .needed = Needed::always,
      },
  };
}

std::vector<KeySpec> rounds_keys() {
  const auto descending =
      names_of({ModelKind::cnn, ModelKind::logistic, ModelKind::mlp, ModelKind::features_linear});
  return {
      {
          .key = "rounds.count",
          .flag = "--rounds",
          .meaning = "rounds; whole runs in the slot protocols",
          .values = Integers{.field = &PlanValues::rounds, .min = 0, .max = accounting::kMaxRounds},
          .needed = Needed::always,
      },
      {
          .key = "rounds.learning_rate",
          .flag = "--learning-rate",
          .meaning = "step size of a round; of a slot in the slot protocols, counted over all runs",
          .values = LearningRates{&PlanValues::learning_rate},
          .commands = "train",
          .models = descending,
          .needed = Needed::to_train,
      },
      {
          .key = "rounds.momentum",
          .flag = "--momentum",
          .meaning = "server momentum",
          .values = Numbers{.field = &PlanValues::momentum, .range = kFraction},
          .commands = "train",
          .models = descending,
          .written = Written::with_any_model,
      },
      {
          .key = "rounds.average",
          .flag = "--average",
          .meaning = "iterate averaging weight; 0 is off",
          .values = Numbers{.field = &PlanValues::average, .range = kFraction},
          .commands = "train",
          .models = descending,
          .written = Written::with_any_model,
      },
      {
          .key = "rounds.projection",
          .flag = "--projection",
          .meaning = "radius of the ball the model stays in",
          .values = Numbers{.field = &PlanValues::projection, .range = kPositive},
          .commands = "train",
          .models = descending,
      },
      {
          .key = "rounds.weight_decay",
          .flag = "--weight-decay",
          .meaning = "decay of the weights",
          .values = Numbers{.field = &PlanValues::weight_decay, .range = kNotNegative},
          .commands = "train",
          .models = descending,
          .written = Written::with_any_model,
      },
      {
          .key = "rounds.local_steps",
          .flag = "--local-steps",
          .meaning = "steps of SGD that a client makes on its records and whose difference it sends; 0: it "
                     "sends their mean gradient",
          .values = Integers{.field = &PlanValues::local_steps, .min = 0},
          .commands = "train",
          .models = descending,
          .written = Written::unless_default,
      },
      {
          .key = "rounds.local_rate",
          .flag = "--local-rate",
          .meaning = "step size of local steps",
          .values = Numbers{.field = &PlanValues::local_rate, .range = kStepSize},
          .commands = "train",
          .models = descending,
          .written = Written::unless_default,
      },
      {
          .key = "rounds.local_batch",
          .flag = "--local-batch",
          .meaning = "records of a local step, of which a client goes through its own in a random order; all "
                     "unless given",
          .values = Integers{.field = &PlanValues::local_batch, .min = 1},
          .commands = "train",
          .models = descending,
          .written = Written::unless_default,
      },
      {
          .key = "rounds.batch",
          .flag = "--batch",
          .meaning = "slots a step",
          .values = Integers{.field = &PlanValues::batch, .min = 1},
          .commands = "train",
          .protocols = names_of({Protocol::random_check_in_fixed}),
      },
      {
          .key = "rounds.log_every",
          .flag = "--log-every",
          .meaning = "rounds, or slots, between measurements",
          .values = Integers{.field = &PlanValues::log_every, .min = 1},
          .commands = "train",
          .fallback = "1 % of all, at least 1",
          .fill =
              [](const Plan& plan, PlanValues& values) {
                values.log_every = std::max<std::uint64_t>(1, plan.updates() / 100);
              },
      },
      {
          .key = "rounds.checkpoint_every",
          .flag = "--checkpoint-every",
          .meaning = "rounds, or slots, between checkpoints",
          .values = Integers{.field = &PlanValues::checkpoint_every, .min = 1},
          .commands = "train",
          .fallback = "5 % of all, at least 1",
          .fill =
              [](const Plan& plan, PlanValues& values) {
                values.checkpoint_every = std::max<std::uint64_t>(1, plan.updates() / 20);
              },
      },
  };
}

std::vector<KeySpec> model_keys() {
  using enum ModelKind;
  return {
      {
          .key = "model.kind",
          .flag = "--model",
          .meaning = "what is trained",
          .values = Choices(&PlanValues::model,
                            {
                                {cnn},
                                {logistic},
                                {mlp},
                                {features_linear},
                                {mean},
                                {histogram},
                            }),
          .commands = "train",
          .needed = Needed::to_train,
      },
      {
          .key = "model.activation",
          .flag = "--activation",
          .meaning = "what follows each layer but the last",
          .values = Choices(&PlanValues::activation, {{Activation::relu}, {Activation::tanh}}),
          .commands = "train",
          .models = names_of({cnn, mlp, features_linear}),
          .written = Written::unless_default,
      },
      {
          .key = "model.public_data",
          .flag = "--public-data",
          .meaning = "what the features are learned from, without noise; nobody's private data",
          .values = DataSet{.field = &PlanValues::public_data},
          .commands = "train",
          .models = names_of({features_linear}),
      },
      {
          .key = "model.pretrain_epochs",
          .flag = "--pretrain-epochs",
          .meaning = "passes over the public data",
          .values = Integers{.field = &PlanValues::pretrain_epochs, .min = 0, .max = kMaxEpochs},
          .commands = "train",
          .models = names_of({features_linear}),
      },
  };
}

std::vector<KeySpec> privacy_keys() {
  return {
      {
          .key = "privacy.delta",
          .flag = "--delta",
          .meaning = "failure probability of the guarantee",
          .values = Numbers{.field = &PlanValues::delta, .range = kProbability},
          .needed = Needed::to_train,
      },
      {
          .key = "privacy.budget",
          .flag = "--budget",
          .meaning = "stop before this epsilon is passed",
          .values = Numbers{.field = &PlanValues::budget, .range = kPositive},
          .commands = "train",
      },
  };
}

}  // namespace

const std::vector<KeySpec>& plan_keys() {
  static const std::vector<KeySpec> table = [] {
    std::vector<KeySpec> rows;
    for (auto* section : {&run_keys, &population_keys, &csv_keys, &participation_keys, &randomizer_keys,
                          &rounds_keys, &model_keys, &privacy_keys}) {
      std::ranges::move(section(), std::back_inserter(rows));
    }
    return rows;
  }();
  return table;
}

}  // namespace muster::protocols
