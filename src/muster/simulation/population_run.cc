#include "muster/simulation/population_run.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/plan/keys.h"
#include "muster/plan/randomizer_table.h"
#include "muster/plan/runnable_rounds.h"
#include "muster/simulation/budget.h"
#include "muster/simulation/runs/json_object.h"
#include "muster/simulation/setup.h"

namespace muster::simulation {
namespace {

using protocols::Plan;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

void require(bool stated, const char* key, const char* needed_by) {
  if (stated) return;
  throw Error(ErrorCode::plan, Reason::missing, key, "", protocols::spec_of(key).allowed(),
              fmt::format("is missing: {} needs it", needed_by));
}

const Plan& runnable(const Plan& plan, const PopulationOptions& options) {
  check_fidelity(plan, options.fidelity);
  if (protocols::spec_of(plan.randomizer()).takes_clip) {
    require(plan.values().clip.has_value(), "randomizer.clip", "a population");
  }
  if (plan.budget()) require(plan.delta().has_value(), "privacy.delta", "privacy.budget");
  protocols::check_rounds_can_run(plan);
  return plan;
}

random::RunKey key_of(const Plan& plan, const PopulationOptions& options) {
  return options.secret ? random::RunKey::fresh() : random::RunKey::from_seed(plan.seed());
}

std::uint64_t affordable(const Plan& plan) {
  return plan.budget() ? affordable_rounds(epsilon_of(plan), plan.rounds(), *plan.budget()) : plan.rounds();
}

// Returns the key in hexadecimal. The first 16 bytes of the key schedule of AES-128 are the key itself.
std::string hex_of(const random::RunKey& key) {
  std::string text;
  for (const std::uint8_t byte : std::span(key.schedule()).first(16)) text += fmt::format("{:02x}", byte);
  return text;
}

random::RunKey key_of_hex(const std::string& text) {
  std::array<std::uint8_t, 16> bytes{};
  if (text.size() != 2 * bytes.size() || text.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw std::invalid_argument("its key is not 32 hexadecimal digits");
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  }
  return random::RunKey::from_bytes(bytes);
}

}  // namespace

PopulationRun::PopulationRun(const Plan& plan, const PopulationOptions& options, const Interrupt& interrupt)
    : PopulationRun(runnable(plan, options), options, key_of(plan, options), {}, interrupt) {}

PopulationRun::PopulationRun(const Plan& plan, const PopulationOptions& options, const random::RunKey& key,
                             std::vector<std::uint64_t> messages, const Interrupt& interrupt)
    : plan_(plan),
      options_(options),
      key_(key),
      randomizer_(make_randomizer(plan_, options.dimension)),
      roll_call_(protocols::make_roll_call(plan_, key_)),
      team_(options.threads),
      monitor_(plan_.stages()),
      affordable_(affordable(plan_)),
      messages_(std::move(messages)) {
  if (options.fidelity == Fidelity::sum) {
    sum_ = protocols::spec_of(plan_.randomizer()).sum_sampler(plan_.values(), options.dimension);
  }
  rounds_ = std::make_unique<OpenRounds>(*randomizer_, sum_.get(), *roll_call_, plan_.clients(), key_, team_,
                                         options.bad, interrupt);
  if (steps_begun() > steps()) throw std::invalid_argument("it has more rounds than its plan");
  for (const std::uint64_t each : messages_) monitor_.watch(roll_call_->rounds_a_step(), each);
}

std::uint64_t PopulationRun::steps() const { return plan_.updates() / roll_call_->rounds_a_step(); }

std::span<const std::uint64_t> PopulationRun::open() {
  const std::uint64_t step = roll_call_->rounds_a_step();
  if (is_open()) {
    throw Error::in_words(ErrorCode::usage, Reason::contradiction, "round", "", "",
                          "a round is open: end it before the next begins");
  }
  if (steps_begun() == steps()) {
    throw Error::in_words(
        ErrorCode::usage, Reason::contradiction, "rounds.count", fmt::format("{}", plan_.rounds()), "",
        fmt::format("all rounds of the plan have begun: rounds.count = {}", plan_.rounds()));
  }
  if (plan_.rounds_charged(rounds_begun() + step) > affordable_) {
    throw Error::in_words(
        ErrorCode::budget, "privacy.budget", fmt::format("{}", *plan_.budget()), "",
        fmt::format("privacy.budget = {} pays for {} of {} rounds, and all of them have begun",
                    *plan_.budget(), affordable_, plan_.rounds()));
  }
  const std::span<const std::uint64_t> clients = rounds_->open(rounds_begun() + 1);
  messages_.push_back(rounds_->messages());
  monitor_.watch(step, messages_.back());
  return clients;
}

void PopulationRun::save(const std::filesystem::path& path) const {
  if (is_open()) {
    throw Error::in_words(ErrorCode::usage, Reason::contradiction, "round", "", "",
                          "a round is open: end it before the population is saved");
  }
  Json file = {{"muster_population", kFormat},
               {"plan", plan_.canonical()},
               {"dimension", options_.dimension},
               {"fidelity", name_of(options_.fidelity)},
               {"key", options_.secret ? hex_of(key_) : "plan"},
               {"messages", messages_}};
  file["checksum"] = protocols::hash_of(file.dump());
  replace_file(path, file.dump() + "\n", options_.secret ? ReadableBy::owner : ReadableBy::all);
}

std::unique_ptr<PopulationRun> PopulationRun::continued(const Plan& plan, const PopulationOptions& options,
                                                        std::vector<std::uint64_t> messages,
                                                        const Interrupt& interrupt) {
  try {
    return std::unique_ptr<PopulationRun>(new PopulationRun(
        runnable(plan, options), options, key_of(plan, options), std::move(messages), interrupt));
  } catch (const std::invalid_argument& error) {
    throw Error(ErrorCode::checkpoint, "messages", "", "",
                fmt::format("are not those of a population: {}", error.what()));
  }
}

std::unique_ptr<PopulationRun> PopulationRun::resumed(const std::filesystem::path& path,
                                                      const PopulationOptions& options,
                                                      const Interrupt& interrupt) {
  const std::string text = read_file(path);
  try {
    Json file = json_object_of<Json>(text);
    if (file.at("muster_population") != kFormat) throw std::invalid_argument("it is of another format");
    const auto checksum = file.at("checksum").get<std::string>();
    file.erase("checksum");
    if (checksum != protocols::hash_of(file.dump()))
      throw std::invalid_argument("its checksum does not match");
    const auto canonical = file.at("plan").get<std::string>();
    const Plan plan = Plan::validate(protocols::PlanSource::from_canonical(canonical, path.string()),
                                     protocols::Command::account);
    if (plan.canonical() != canonical) throw std::invalid_argument("its plan is not as a plan is written");
    PopulationOptions all = options;
    all.dimension = file.at("dimension").get<std::size_t>();
    all.fidelity = fidelity_named(file.at("fidelity").get<std::string>());
    const auto key = file.at("key").get<std::string>();
    all.secret = key != "plan";
    auto messages = file.at("messages").get<std::vector<std::uint64_t>>();
    const random::RunKey run_key = all.secret ? key_of_hex(key) : key_of(plan, all);
    return std::unique_ptr<PopulationRun>(
        new PopulationRun(runnable(plan, all), all, run_key, std::move(messages), interrupt));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::budget) throw;
    throw Error(ErrorCode::checkpoint, path.string(), "", "",
                fmt::format("is not the state of a population: {}", error.what()));
  } catch (const std::exception& error) {
    throw Error(ErrorCode::checkpoint, path.string(), "", "",
                fmt::format("is not the state of a population: {}", error.what()));
  }
}

}  // namespace muster::simulation
