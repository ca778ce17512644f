#include "muster/plan/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "muster/core/error.h"
#include "muster/plan/nearest.h"

namespace muster::protocols {
namespace {

constexpr std::uint64_t kMaxClients = 1'000'000'000'000;
constexpr std::uint64_t kMaxInteger = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMaxSeed = std::numeric_limits<std::uint64_t>::max();
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

constexpr std::string_view kCheckIn = "shuffled-check-in";
constexpr std::string_view kFixed = "random-check-in-fixed";
constexpr std::string_view kAveraged = "random-check-in-averaged";
constexpr std::string_view kSliding = "random-check-in-sliding";
constexpr std::string_view kAggregated = "aggregated-check-in";

constexpr std::string_view kTransfer = "features+linear";

using Names = std::vector<std::string_view>;

KeySpec integer(KeySpec spec, std::uint64_t min, std::uint64_t max = kMaxInteger) {
  spec.type = ValueType::integer;
  spec.min = min;
  spec.max = max;
  return spec;
}

// `type` must be number or rate.
KeySpec number(KeySpec spec, double low, bool low_included, double high, bool high_included) {
  spec.low = low;
  spec.high = high;
  spec.low_included = low_included;
  spec.high_included = high_included;
  return spec;
}

KeySpec positive(KeySpec spec) { return number(std::move(spec), 0, false, kUnbounded, false); }
KeySpec fraction(KeySpec spec) { return number(std::move(spec), 0, true, 1, false); }

KeySpec choice(KeySpec spec, std::vector<Choice> choices) {
  spec.type = ValueType::choice;
  spec.choices = std::move(choices);
  return spec;
}

KeySpec with_models(KeySpec spec, Names models) {
  spec.models = std::move(models);
  return spec;
}

std::vector<KeySpec> make_table() {
  const Names descending = {"cnn", "logistic", "mlp", kTransfer};
  const Names check_ins = {kCheckIn, kFixed, kAveraged, kSliding, kAggregated};
  const Names slots = {kFixed, kAveraged, kSliding};
  const Names local = {"ldp-sgd", "l1", "l2", "linf", "k-rr", "laplace", "pure"};
  const Names clipped = {"ldp-sgd", "gaussian", "l1", "l2", "linf", "laplace"};
  constexpr ValueType kNumber = ValueType::number;
  // key, flag, type, default, meaning, commands, protocols, randomizers
  return {
      {"name", "", ValueType::name, "plan", "names the plan and its run folder", "all", {}, {}},
      integer({"seed", "--seed", {}, "1", "seed of every simulated stream", "train, audit", {}, {}}, 0,
              kMaxSeed),
      integer({"population.clients",
               "--clients",
               {},
               "",
               "honest clients the accountant may count on",
               "all",
               {},
               {}},
              1, kMaxClients),
      {"population.data",
       "--data",
       ValueType::data,
       "",
       "client j holds example j; more clients than examples: each holds one drawn at random",
       "train",
       {},
       {}},
      choice({"participation.protocol", "--protocol", {}, "", "who takes part in a round", "all", {}, {}},
             {{"shuffle", Support::trained},
              {"subset", Support::trained},
              {kCheckIn, Support::trained},
              {kFixed, Support::trained},
              {kAveraged, Support::trained},
              {kSliding, Support::trained},
              {kAggregated, Support::trained}}),
      number({"participation.rate",
              "--rate",
              ValueType::rate,
              "",
              "the client's coin in each round; of clients whose coins differ, the lowest and the highest",
              "all",
              check_ins,
              {}},
             0, false, 1, true),
      fraction({"participation.dropout",
                "--dropout",
                ValueType::schedule,
                "0",
                "a second coin: a report that is lost; the effective rate is rate (1 - dropout); by rounds",
                "all",
                check_ins,
                {}}),
      integer({"participation.subset",
               "--subset",
               {},
               "",
               "clients drawn in secret each round",
               "all",
               {"subset"},
               {}},
              1, kMaxClients),
      integer({"participation.slots",
               "--slots",
               {},
               "",
               "slots of a run, which is what rounds.count counts",
               "all",
               slots,
               {}},
              1),
      integer({"participation.minimum",
               "--minimum",
               {},
               "1",
               "fewer reports destroy the round",
               "all",
               {kAggregated},
               {}},
              1),
      choice(
          {"randomizer.kind", "--randomizer", {}, "", "what a client does to what it sends", "all", {}, {}},
          {{"ldp-sgd", Support::trained},
           {"gaussian", Support::trained},
           {"l1", Support::trained},
           {"l2", Support::trained},
           {"linf", Support::trained},
           {"k-rr", Support::trained},
           {"laplace", Support::trained},
           {"pure", Support::accounted}}),
      positive({"randomizer.epsilon0",
                "--epsilon0",
                kNumber,
                "",
                "local epsilon of one message",
                "all",
                {},
                local}),
      positive(
          {"randomizer.clip",
           "--clip",
           kNumber,
           "",
           "largest L2 norm of what is randomized; with l1 its L1 norm, with linf and laplace the size of "
           "a number",
           "all",
           {},
           clipped}),
      positive({"randomizer.sigma",
                "--sigma",
                kNumber,
                "",
                "noise multiplier: deviation sigma * clip a coordinate",
                "all",
                {},
                {"gaussian"}}),
      integer({"randomizer.k", "--k", {}, "", "number of answers", "all", {}, {"k-rr"}}, 2),
      integer({"rounds.count", "--rounds", {}, "", "rounds; whole runs in the slot protocols", "all", {}, {}},
              0),
      with_models({"rounds.learning_rate",
                   "--learning-rate",
                   ValueType::learning_rate,
                   "",
                   "step size of a round; of a slot in the slot protocols, counted over all runs",
                   "train",
                   {},
                   {}},
                  descending),
      with_models(
          fraction({"rounds.momentum", "--momentum", kNumber, "0", "server momentum", "train", {}, {}}),
          descending),
      with_models(fraction({"rounds.average",
                            "--average",
                            kNumber,
                            "0",
                            "iterate averaging weight; 0 is off",
                            "train",
                            {},
                            {}}),
                  descending),
      with_models(positive({"rounds.projection",
                            "--projection",
                            kNumber,
                            "none",
                            "radius of the ball the model stays in",
                            "train",
                            {},
                            {}}),
                  descending),
      with_models(number({"rounds.weight_decay",
                          "--weight-decay",
                          kNumber,
                          "0",
                          "decay of the weights",
                          "train",
                          {},
                          {}},
                         0, true, kUnbounded, false),
                  descending),
      integer({"rounds.batch", "--batch", {}, "1", "slots a step", "train", {kFixed}, {}}, 1),
      integer({"rounds.log_every",
               "--log-every",
               {},
               "1 % of all, at least 1",
               "rounds, or slots, between measurements",
               "train",
               {},
               {}},
              1),
      integer({"rounds.checkpoint_every",
               "--checkpoint-every",
               {},
               "5 % of all, at least 1",
               "rounds, or slots, between checkpoints",
               "train",
               {},
               {}},
              1),
      choice({"model.kind", "--model", {}, "", "what is trained", "train", {}, {}},
             {{"cnn", Support::trained},
              {"logistic", Support::trained},
              {"mlp", Support::trained},
              {"features+linear", Support::trained},
              {"mean", Support::trained},
              {"histogram", Support::trained}}),
      with_models(choice({"model.activation",
                          "--activation",
                          {},
                          "relu",
                          "what follows each layer but the last",
                          "train",
                          {},
                          {}},
                         {{"relu", Support::trained}, {"tanh", Support::trained}}),
                  {"cnn", "mlp", kTransfer}),
      with_models({"model.public_data",
                   "--public-data",
                   ValueType::data,
                   "digits",
                   "what the features are learned from, without noise; nobody's private data",
                   "train",
                   {},
                   {}},
                  {kTransfer}),
      with_models(integer({"model.pretrain_epochs",
                           "--pretrain-epochs",
                           {},
                           "3",
                           "passes over the public data",
                           "train",
                           {},
                           {}},
                          0, 10'000),
                  {kTransfer}),
      number({"privacy.delta", "--delta", kNumber, "", "failure probability of the guarantee", "all", {}, {}},
             0, false, 1, false),
      positive({"privacy.budget",
                "--budget",
                kNumber,
                "none",
                "stop before this epsilon is passed",
                "train",
                {},
                {}}),
  };
}

std::string join(const Names& names, std::string_view separator) {
  return fmt::format("{}", fmt::join(names, separator));
}

// Writes 1e12 instead of thirteen digits.
std::string compact(std::uint64_t integer) {
  int zeros = 0;
  std::uint64_t head = integer;
  for (; head >= 10 && head % 10 == 0; head /= 10) {
    ++zeros;
  }
  return zeros < 6 ? fmt::format("{}", integer) : fmt::format("{}e{}", head, zeros);
}

std::string range_text(const KeySpec& spec) {
  if (spec.high == kUnbounded) {
    return fmt::format("number {} {}", spec.low_included ? ">=" : ">", spec.low);
  }
  return fmt::format("number in {}{}, {}{}", spec.low_included ? '[' : '(', spec.low, spec.high,
                     spec.high_included ? ']' : ')');
}

template <typename Wanted>
std::string choices_text(const KeySpec& spec, const Wanted& wanted) {
  Names names;
  for (const Choice& option : spec.choices) {
    if (wanted(option)) {
      names.push_back(option.name);
    }
  }
  return join(names, " | ");
}

// Escapes bars, which would end a cell of the Markdown table.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '|' ? "\\|" : std::string(1, c);
  }
  return result;
}

}  // namespace

std::string KeySpec::allowed(Command command) const {
  switch (type) {
    case ValueType::name:
      return "1 to 100 of A-Z a-z 0-9 . _ -, not starting with .";
    case ValueType::data:
      return "digits | idx:DIR | csv:FILE | cifar:DIR | DIR";
    case ValueType::integer:
      return max == kMaxInteger ? fmt::format("integer >= {}", min)
                                : fmt::format("integer {}..{}", min, compact(max));
    case ValueType::number:
      return range_text(*this);
    case ValueType::rate:
      return range_text(*this) + ", or [lo, hi] (as a flag lo:hi)";
    case ValueType::schedule:
      return range_text(*this) +
             (command == Command::calibrate ? "" : ", or [[1, value], [round, value], ...]");
    case ValueType::learning_rate:
      return "number > 0, [[1, value], [round, value], ...], or \"inverse-sqrt:V\"";
    case ValueType::choice:
      return choices_text(*this, [command](const Choice& option) { return option.works_with(command); });
  }
  return "";
}

bool KeySpec::applies_to(std::string_view protocol, std::string_view randomizer,
                         std::string_view model) const {
  const auto among = [](std::string_view name, const Names& names) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  return among(protocol, protocols) && among(randomizer, randomizers) &&
         (model.empty() || among(model, models));
}

std::string KeySpec::only_with() const {
  std::string text;
  if (!protocols.empty()) {
    text = "protocol " + join(protocols, " | ");
  }
  if (!randomizers.empty()) {
    text += (text.empty() ? "" : "; ") + ("randomizer " + join(randomizers, " | "));
  }
  if (!models.empty()) {
    text += (text.empty() ? "" : "; ") + ("model " + join(models, " | "));
  }
  return text;
}

const std::vector<KeySpec>& plan_keys() {
  static const std::vector<KeySpec> table = make_table();
  return table;
}

const KeySpec* find_key(std::string_view key) {
  const auto spec = std::ranges::find(plan_keys(), key, &KeySpec::key);
  return spec == plan_keys().end() ? nullptr : &*spec;
}

const KeySpec& spec_of(std::string_view key) {
  const KeySpec* spec = find_key(key);
  if (spec == nullptr) {
    throw Error(ErrorCode::internal, std::string(key), "", "", "a plan key that is not in the table");
  }
  return *spec;
}

std::string nearest_key(std::string_view word) {
  const auto last_part = [](std::string_view key) { return key.substr(key.find('.') + 1); };
  Names keys;
  for (const KeySpec& spec : plan_keys()) {
    if (last_part(spec.key) == last_part(word)) {
      // The name is right but the section is wrong.
      return std::string(spec.key);
    }
    keys.push_back(spec.key);
  }
  return nearest(word, keys);
}

std::string key_reference() {
  std::string text =
      "| key | flag | value | default | commands | only with | meaning |\n|---|---|---|---|---|---|---|\n";
  for (const KeySpec& spec : plan_keys()) {
    std::string allowed = spec.allowed();
    const std::string trained = spec.allowed(Command::train);
    if (trained != allowed) {
      allowed += "; train: " + trained;
    }
    const auto later = [](const Choice& option) { return option.support == Support::none; };
    if (const std::string names = choices_text(spec, later); !names.empty()) {
      allowed += "; not implemented yet: " + names;
    }
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", spec.key,
                        spec.flag.empty() ? "-" : fmt::format("`{}`", spec.flag), escaped(allowed),
                        spec.fallback.empty() ? "-" : spec.fallback, spec.commands,
                        spec.only_with().empty() ? "-" : escaped(spec.only_with()), spec.meaning);
  }
  return text;
}

}  // namespace muster::protocols
