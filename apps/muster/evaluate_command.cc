// `muster evaluate MODEL --data D`: measures a trained model on test data.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "command.h"
#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/plan/data_layout.h"
#include "muster/plan/keys.h"
#include "muster/plan/value_kinds.h"
#include "muster/plan/values.h"
#include "muster/reporting/json.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/runs/model_file.h"
#include "muster/simulation/stored_network.h"

namespace muster::app {
namespace {

// A plan key that names the data, and the value of its flag as typed, if the flag was given.
struct DataFlag {
  std::string_view key;
  std::optional<std::string> typed = {};
};

struct EvaluateFlags {
  std::string model;
  std::array<DataFlag, 6> data = {{{"population.data"},
                                   {"population.test_data"},
                                   {"population.label"},
                                   {"population.split"},
                                   {"population.records"},
                                   {"seed"}}};
  bool json = false;
};

protocols::RawValue raw_of(const DataFlag& flag) {
  const std::string typed = flag.typed.value_or("");
  return {
      .value = typed,
      .text = typed,
      .origin = {.flag = std::string(protocols::spec_of(flag.key).flag), .file = "", .line = 0, .column = 0}};
}

// Returns the values of the flags, which are read like the values of a plan's keys.
protocols::PlanValues values_of(const EvaluateFlags& flags) {
  protocols::PlanValues values;
  for (const DataFlag& flag : flags.data) {
    if (flag.typed) {
      protocols::spec_of(flag.key).read(raw_of(flag), protocols::Command::train, values);
    }
  }
  if (values.data.empty() && values.test_data.empty()) {
    throw Error(ErrorCode::usage, Reason::missing, "--data", "", protocols::data_formats(),
                "is missing: evaluate needs the test data");
  }
  if (values.records > 1) {
    const DataFlag& records = *std::ranges::find(flags.data, "population.records", &DataFlag::key);
    protocols::refuse(Reason::out_of_range, "population.records", raw_of(records),
                      "the name of a column of csv data", "is no column");
  }
  if (const std::optional<protocols::Misfit> misfit = protocols::misfit_of_layout(values)) {
    protocols::refuse(Reason::contradiction, misfit->key,
                      raw_of(*std::ranges::find(flags.data, misfit->key, &DataFlag::key)), misfit->allowed,
                      misfit->message);
  }
  return values;
}

learning::Dataset test_data(const protocols::PlanValues& values, const simulation::LoadedNetwork& network) {
  return values.data.empty()
             ? simulation::load_test_data(values, network.architecture.classes, network.class_names)
             : simulation::load_test_data(values);
}

int evaluate(const EvaluateFlags& flags) {
  if (flags.model.empty()) {
    throw Error(ErrorCode::usage, Reason::missing, "MODEL", "", "a model of muster train",
                "is missing: name one, such as runs/quickstart/model.safetensors");
  }
  const protocols::PlanValues values = values_of(flags);
  const std::filesystem::path file = flags.model;
  const simulation::StoredModel model = simulation::decode_model(read_file(file), file);
  const simulation::LoadedNetwork network = simulation::loaded_network(model, file);
  const learning::Dataset test = test_data(values, network);
  const simulation::TestScore score = simulation::score_of(model, test, file);
  if (flags.json) {
    fmt::print("{}\n", reporting::JsonObject()
                           .number("accuracy", score.accuracy)
                           .number("loss", score.loss.value())
                           .unsigned_integer("examples", test.size())
                           .str());
    return 0;
  }
  fmt::print("accuracy  {:.4f} on {} test examples\nloss      {:.4f} nats on average\n", score.accuracy,
             test.size(), score.loss.value());
  return 0;
}

}  // namespace

Subcommand evaluate_command(CLI::App& root) {
  CLI::App* cli = add_subcommand(root, "evaluate", "Measure a trained model on test data",
                                 "muster evaluate runs/quickstart/model.safetensors --data digits");
  auto flags = std::make_shared<EvaluateFlags>();
  cli->add_option("MODEL", flags->model, "the model of a run, model.safetensors")->type_name("FILE");
  const std::array<std::string, 6> help = {
      "the data set whose test part is used: " + protocols::data_formats(),
      "all examples of this file instead: csv:FILE; without --data, the classes are the model's",
      "of csv data: the column that holds the class [the last]",
      "of csv data: the column that says train or test",
      "of csv data: the column that names the owners, which is no feature",
      "of the built-in digits: the run's seed [1]",
  };
  for (std::size_t i = 0; i < help.size(); ++i) {
    const protocols::KeySpec& spec = protocols::spec_of(flags->data[i].key);
    cli->add_option(std::string(spec.flag), flags->data[i].typed, help[i])
        ->type_name(std::string(spec.placeholder()));
  }
  cli->add_flag("--json", flags->json, "print one JSON line");
  return {cli, [flags] { return evaluate(*flags); }};
}

}  // namespace muster::app
