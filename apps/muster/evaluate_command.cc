// `muster evaluate MODEL --data D`: measures a trained model on test data.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "command.h"
#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/plan/keys.h"
#include "muster/plan/value_kinds.h"
#include "muster/reporting/json.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/runs/model_file.h"
#include "muster/simulation/stored_network.h"

namespace muster::app {
namespace {

struct EvaluateFlags {
  std::string model;
  std::string data;
  std::string seed = "1";
  bool json = false;
};

// The value of a flag, checked and read like the plan's `key`.
protocols::PlanValues read_as(std::string_view key, const std::string& flag, const std::string& text) {
  protocols::PlanValues values;
  const protocols::RawValue raw = {
      .value = text, .text = text, .origin = {.flag = flag, .file = "", .line = 0, .column = 0}};
  protocols::spec_of(key).read(raw, protocols::Command::train, values);
  return values;
}

int evaluate(const EvaluateFlags& flags) {
  if (flags.model.empty()) {
    throw Error(ErrorCode::usage, "MODEL", "", "a model of muster train",
                "is missing: name one, such as runs/quickstart/model.safetensors");
  }
  if (flags.data.empty()) {
    throw Error(ErrorCode::usage, "--data", "", protocols::data_formats(),
                "is missing: evaluate needs the test data");
  }
  const std::string data = read_as("population.data", "--data", flags.data).data;
  const std::uint64_t seed = read_as("seed", "--seed", flags.seed).seed;
  const std::filesystem::path file = flags.model;
  const simulation::StoredModel model = simulation::decode_model(read_file(file), file);
  simulation::loaded_network(model, file);  // refuses before data are loaded
  const learning::Dataset test = simulation::load_test_data(data, seed);
  const simulation::TestScore score = simulation::score_of(model, test, file);
  if (flags.json) {
    fmt::print("{}\n", reporting::JsonObject()
                           .number("accuracy", score.accuracy)
                           .number("loss", score.loss)
                           .unsigned_integer("examples", test.size())
                           .str());
    return 0;
  }
  fmt::print("accuracy  {:.4f} on {} test examples\nloss      {:.4f} nats on average\n", score.accuracy,
             test.size(), score.loss);
  return 0;
}

}  // namespace

Subcommand evaluate_command(CLI::App& root) {
  CLI::App* cli = add_subcommand(root, "evaluate", "Measure a trained model on test data",
                                 "muster evaluate runs/quickstart/model.safetensors --data digits");
  auto flags = std::make_shared<EvaluateFlags>();
  cli->add_option("MODEL", flags->model, "the model of a run, model.safetensors")->type_name("FILE");
  cli->add_option("--data", flags->data, "the data set whose test part is used: " + protocols::data_formats())
      ->type_name("TEXT");
  cli->add_option("--seed", flags->seed, "of the built-in digits: the run's seed [1]")->type_name("INTEGER");
  cli->add_flag("--json", flags->json, "print one JSON line");
  return {cli, [flags] { return evaluate(*flags); }};
}

}  // namespace muster::app
