#include "muster/reporting/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/plan/keys.h"
#include "muster/plan/source.h"
#include "muster/simulation/population.h"
#include "muster/simulation/runs/checkpoint.h"

namespace muster::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Reads plan.txt: "key = value" lines, with values as flags write them, except for a range of rates.
protocols::Plan plan_of(const std::string& text, const fs::path& file) {
  const auto damaged = [&file](std::size_t line, const std::string& why) {
    return Error(ErrorCode::file, file.string(), "", "", fmt::format(", line {}: {}", line, why));
  };
  std::string name;
  protocols::PlanSource source;
  std::vector<std::pair<std::string, std::string>> entries;
  std::size_t at = 0;
  for (std::size_t line = 1; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string words = text.substr(at, end - at);
    at = end + 1;
    const std::size_t equals = words.find(" = ");
    if (equals == words.npos) {
      throw damaged(line, "not \"key = value\"");
    }
    const std::string key = words.substr(0, equals);
    std::string value = words.substr(equals + 3);
    if (key == "name") {
      name = value;
      continue;
    }
    const protocols::KeySpec* spec = protocols::find_key(key);
    if (spec == nullptr || spec->flag.empty()) {
      throw damaged(line, "no key of a plan: " + key);
    }
    if (spec->type == protocols::ValueType::rate && value.starts_with('[') && value.ends_with(']')) {
      value = value.substr(1, value.size() - 2);
      if (const std::size_t comma = value.find(", "); comma != value.npos) {
        value = fmt::format("{}:{}", value.substr(0, comma), value.substr(comma + 2));
      }
    }
    entries.emplace_back(key, value);
  }
  try {
    if (!name.empty()) {
      source = protocols::PlanSource::from_text(fmt::format("name = {}\n", Json(name).dump()), file.string());
    }
    for (const auto& [key, value] : entries) {
      source.override_key(key, value);
    }
    protocols::Plan plan = protocols::Plan::validate(source, protocols::Command::train);
    if (plan.canonical() != text) {
      throw Error(ErrorCode::file, file.string(), "", "", "is not as a plan is written: has it been edited?");
    }
    return plan;
  } catch (const Json::exception&) {
    throw Error(ErrorCode::file, file.string(), "", "", "is not text in UTF-8");
  } catch (const Error& error) {
    if (error.code() == ErrorCode::file) {
      throw;
    }
    throw Error(ErrorCode::file, file.string(), "", "",
                fmt::format("is not a plan that trains: {}", error.what()));
  }
}

// The fields of one JSON object. A wrong field throws std::invalid_argument; the caller adds the position.
class Fields {
 public:
  explicit Fields(const Json& json) : json_(json) {}

  double number(const char* key) const {
    const Json& value = at(key);
    if (!value.is_number()) {
      throw std::invalid_argument(fmt::format("\"{}\" is not a number", key));
    }
    return value.get<double>();
  }
  double in(const char* key, double low, double high) const {
    const double value = number(key);
    if (!(value >= low && value <= high)) {
      throw std::invalid_argument(fmt::format("\"{}\" is {}, outside [{}, {}]", key, number_text(value),
                                              number_text(low), number_text(high)));
    }
    return value;
  }
  std::optional<double> number_or_null(const char* key) const {
    return at(key).is_null() ? std::nullopt : std::optional(in(key, 0, 1e300));
  }
  std::uint64_t count(const char* key) const {
    const Json& value = at(key);
    if (!value.is_number_unsigned()) {
      throw std::invalid_argument(fmt::format("\"{}\" is not a count", key));
    }
    return value.get<std::uint64_t>();
  }
  std::string text(const char* key) const {
    const Json& value = at(key);
    if (!value.is_string()) {
      throw std::invalid_argument(fmt::format("\"{}\" is not text", key));
    }
    return value.get<std::string>();
  }
  bool has(const char* key) const { return json_.contains(key); }

 private:
  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) {
      throw std::invalid_argument(fmt::format("no \"{}\"", key));
    }
    return *found;
  }
  const Json& json_;
};

Json object_of(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    throw std::invalid_argument("not a JSON object");
  }
  return json;
}

LoggedLine logged_line(const std::string& text, const protocols::Plan& plan, const LoggedLine* before) {
  const Json json = object_of(text);
  const Fields fields(json);
  LoggedLine line{};
  line.round = fields.count("round");
  line.step = plan.has_slots() ? fields.count("slot") : line.round;
  if (line.step > plan.updates() || line.round != plan.rounds_charged(line.step)) {
    throw std::invalid_argument("a round that the plan does not have");
  }
  line.accuracy = fields.in("accuracy", 0, 1);
  line.epsilon = fields.number_or_null("epsilon");
  line.check_ins = fields.count("check_ins");
  line.messages = fields.count("messages");
  line.neutral = fields.has("neutral") ? fields.count("neutral") : 0;
  line.seconds = fields.in("seconds", 0, 1e300);
  if (line.step <= (before == nullptr ? 0 : before->step)) {
    throw std::invalid_argument("rounds do not increase");
  }
  if (line.messages < (before == nullptr ? 0 : before->messages) + line.check_ins) {
    throw std::invalid_argument("fewer messages than check-ins");
  }
  if (line.neutral > line.messages || line.neutral < (before == nullptr ? 0 : before->neutral)) {
    throw std::invalid_argument("\"neutral\" does not fit the lines around it");
  }
  return line;
}

// Requires a field of result.json to equal the value in the plan or the checkpoint.
void require_equal(const fs::path& file, const char* key, const std::string& stated, const std::string& truth,
                   const char* source) {
  if (stated != truth) {
    throw Error(ErrorCode::file, file.string(), stated, fmt::format("{}, as in {}", truth, source),
                fmt::format("states a \"{}\" of another run", key));
  }
}

}  // namespace

std::optional<Outcome> read_outcome(const fs::path& file, const protocols::Plan& plan,
                                    const simulation::Checkpoint& checkpoint) {
  std::error_code failure;
  if (!fs::exists(file, failure) && !failure) {
    return std::nullopt;
  }
  const std::string text = simulation::read_file(file);
  if (text.find_first_not_of(" \t\r\n") == text.npos) {
    throw Error(ErrorCode::file, file.string(), "", "",
                "is empty: remove it, and muster train with --resume writes the result again");
  }
  try {
    const Json json = object_of(text);
    const Fields fields(json);
    Outcome outcome{fields.in("accuracy", 0, 1),
                    fields.number_or_null("epsilon"),
                    fields.count("rounds"),
                    fields.in("seconds", 0, 1e300),
                    fields.in("examples_per_second", 0, 1e300),
                    fields.text("fidelity"),
                    fields.text("stopped"),
                    fields.has("neutral") ? fields.count("neutral") : 0,
                    std::nullopt,
                    text.substr(0, text.find('\n'))};
    if (fields.has("clients_per_record")) {
      outcome.clients_per_record = fields.in("clients_per_record", 1, 1e300);
    }
    const auto text_of = [](const auto& value) { return fmt::format("{}", value); };
    require_equal(file, "delta", text_of(fields.in("delta", 0, 1)), text_of(plan.delta.value()), "plan.txt");
    require_equal(file, "rounds", text_of(outcome.rounds), text_of(plan.rounds_charged(checkpoint.round)),
                  "the checkpoint");
    require_equal(file, "fidelity", outcome.fidelity, name_of(checkpoint.fidelity), "the checkpoint");
    if (plan.has_slots()) {
      require_equal(file, "slots", text_of(fields.count("slots")), text_of(checkpoint.round),
                    "the checkpoint");
    }
    return outcome;
  } catch (const std::invalid_argument& wrong) {
    throw Error(ErrorCode::file, file.string(), "", "", fmt::format("is corrupt: {}", wrong.what()));
  }
}

std::string run_name(const protocols::Plan& plan) {
  return fmt::format("{}-{}", plan.name.empty() ? "run" : plan.name, plan.hash().substr(0, 8));
}

std::vector<LoggedLine> read_metrics(const fs::path& file, const protocols::Plan& plan, bool finished,
                                     std::uint64_t most) {
  std::string text = simulation::read_file(file);
  text.resize(std::min<std::uint64_t>(text.size(), most));
  std::vector<LoggedLine> logged;
  std::size_t at = 0;
  for (std::size_t number = 1; at < text.size(); ++number) {
    const std::size_t end = text.find('\n', at);
    if (end == text.npos && !finished) {
      break;
    }
    try {
      if (end == text.npos) {
        throw std::invalid_argument("is cut off");
      }
      logged.push_back(
          logged_line(text.substr(at, end - at), plan, logged.empty() ? nullptr : &logged.back()));
    } catch (const std::invalid_argument& wrong) {
      throw Error(ErrorCode::file, file.string(), "", "", fmt::format(", line {}: {}", number, wrong.what()));
    }
    at = end + 1;
  }
  return logged;
}

RunRecord read_run(const fs::path& folder) {
  std::error_code failure;
  if (!fs::is_directory(folder, failure)) {
    throw Error(ErrorCode::file, folder.string(), "", "the folder of a run, as muster train writes it",
                failure ? "cannot be read: " + failure.message() : "is not a folder");
  }
  if (!fs::exists(folder / "plan.txt", failure) && !failure) {
    throw Error(ErrorCode::file, folder.string(), "", "the folder of a run, as muster train writes it",
                "holds no run: it has no plan.txt");
  }
  RunRecord record;
  record.folder = folder;
  record.plan_text = simulation::read_file(folder / "plan.txt");
  record.plan = plan_of(record.plan_text, folder / "plan.txt");
  record.hash = record.plan.hash();
  const fs::path file = folder / "checkpoint";
  const simulation::Checkpoint checkpoint = simulation::decode(simulation::read_file(file), file);
  if (checkpoint.plan_hash != record.hash) {
    throw Error(ErrorCode::checkpoint, file.string(), checkpoint.plan_hash, record.hash,
                "is of another plan than plan.txt beside it");
  }
  if (checkpoint.records > 0) {
    record.clients_per_record = simulation::clients_per_record(record.plan.clients, checkpoint.records);
  }
  record.outcome = read_outcome(folder / "result.json", record.plan, checkpoint);
  record.logged = read_metrics(folder / "metrics.jsonl", record.plan, record.outcome.has_value());
  const std::uint64_t logged_rounds = record.logged.empty() ? 0 : record.logged.back().round;
  // The last round is always logged.
  if (record.outcome && record.outcome->rounds != logged_rounds) {
    throw Error(ErrorCode::file, (folder / "metrics.jsonl").string(), fmt::format("{}", logged_rounds),
                fmt::format("{}, as in result.json", record.outcome->rounds), "ends at another round");
  }
  return record;
}

WatchedRun watch(const protocols::Plan& plan, const std::vector<LoggedLine>& logged, const fs::path& file) {
  WatchedRun watched{protocols::CheckInMonitor(plan.stages()), {}};
  std::uint64_t steps = 0, messages = 0;
  for (std::size_t i = 0; i < logged.size(); ++i) {
    const LoggedLine& line = logged[i];
    try {
      // First the rounds since the previous line, then the logged round.
      watched.monitor.watch(line.step - steps - 1, line.messages - messages - line.check_ins);
      watched.bands.push_back(watched.monitor.band(1));
      watched.monitor.watch(1, line.check_ins);
    } catch (const Error& error) {
      throw Error(ErrorCode::file, file.string(), "", "", fmt::format(", line {}: {}", i + 1, error.what()));
    }
    steps = line.step;
    messages = line.messages;
  }
  return watched;
}

void warn_of_alarm(const protocols::Plan& plan, const fs::path& folder) {
  const fs::path file = folder / "metrics.jsonl";
  try {
    const WatchedRun watched = watch(plan, read_metrics(file, plan, true), file);
    if (const auto& alarm = watched.monitor.alarm()) {
      fmt::print(stderr,
                 "muster: {} check-ins: {}; the declared rate is what is charged (muster report says more)\n",
                 name_of(alarm->direction), alarm->reason);
    }
  } catch (const Error& error) {  // the run itself is complete
    fmt::print(stderr, "muster: check-ins cannot be held against the declared rate: {}\n", error.what());
  }
}

}  // namespace muster::app
