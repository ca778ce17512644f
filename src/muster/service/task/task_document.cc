#include "muster/service/task/task_document.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "muster/core/error.h"
#include "muster/plan/source.h"
#include "muster/service/task/deployable.h"
#include "muster/wire/hash.h"
#include "muster/wire/hex.h"
#include "muster/wire/upload.h"

namespace muster::service {
namespace {

using protocols::Plan;

constexpr std::uint64_t kMaxSeconds = 604'800;                                  // a week
constexpr std::uint64_t kMaxRounds = std::numeric_limits<std::int64_t>::max();  // the largest TOML integer
constexpr std::uint64_t kMaxFeatures = 65'535;
constexpr std::uint64_t kMaxClasses = 256;
constexpr std::string_view kPrefix = "task.";

Error damaged(const std::string& origin, const std::string& why) {
  return {ErrorCode::file, origin, "", "a task document as `muster keygen task` writes it", why};
}

void check_range(const char* key, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return;
  throw Error(ErrorCode::plan, Reason::out_of_range, key, fmt::format("{}", value),
              fmt::format("integer {}..{}", least, most), "is out of range");
}

bool has_csv(const Plan& plan) { return plan.data().starts_with("csv:"); }

// Features and classes are stated for csv data alone, because images have those of their format.
void check_records(const Plan& plan, const TaskSettings& settings) {
  const bool csv = has_csv(plan);
  check_range("task.features", settings.features, csv ? 1 : 0, csv ? kMaxFeatures : 0);
  check_range("task.classes", settings.classes, csv ? 2 : 0, csv ? kMaxClasses : 0);
}

void check(const Plan& plan, const TaskSettings& settings) {
  refuse_undeployed(plan);
  check_records(plan, settings);
  check_range("task.malicious", settings.malicious, 0, plan.clients());
  check_range("task.seconds", settings.seconds, 1, kMaxSeconds);
  check_range("task.most_rounds", settings.most_rounds, plan.rounds(), kMaxRounds);
  if (settings.aggregator == settings.issuer || settings.aggregator == settings.shuffler ||
      settings.issuer == settings.shuffler) {
    throw Error(ErrorCode::plan, Reason::contradiction, "task", "", "three identity keys",
                "has two roles with the same identity key, so one of them could sign as the other");
  }
}

// The lines of the settings by their keys.
std::map<std::string, std::string> lines_of(const TaskSettings& settings) {
  std::map<std::string, std::string> lines{{"task.aggregator", wire::hex_of(settings.aggregator)},
                                           {"task.issuer", wire::hex_of(settings.issuer)},
                                           {"task.malicious", fmt::format("{}", settings.malicious)},
                                           {"task.most_rounds", fmt::format("{}", settings.most_rounds)},
                                           {"task.randomness", name_of(settings.randomness)},
                                           {"task.seconds", fmt::format("{}", settings.seconds)},
                                           {"task.shuffler", wire::hex_of(settings.shuffler)},
                                           {"task.wire", fmt::format("{}", wire::kWireVersion)}};
  if (settings.classes > 0) {
    lines["task.classes"] = fmt::format("{}", settings.classes);
    lines["task.features"] = fmt::format("{}", settings.features);
  }
  return lines;
}

// Splits "key = value" lines into those of the task, by their keys, and the text of all others.
struct Split {
  std::map<std::string, std::string> task;
  std::string plan;
};
Split split(std::string_view text, const std::string& origin) {
  Split parts;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) throw damaged(origin, fmt::format(", line {}: has no end", number));
    const std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    if (!line.starts_with(kPrefix)) {
      parts.plan += line;
      continue;
    }
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos) {
      throw damaged(origin, fmt::format(", line {}: is not of the form \"key = value\"", number));
    }
    const std::string_view value = line.substr(equals + 3, line.size() - equals - 4);
    if (!parts.task.emplace(line.substr(0, equals), value).second) {
      throw damaged(origin, fmt::format(", line {}: states a key again", number));
    }
  }
  return parts;
}

// Reads the settings from their lines. The values are checked when the document is made.
class SettingsReader {
 public:
  SettingsReader(const std::map<std::string, std::string>& lines, const std::string& origin)
      : lines_(lines), origin_(origin) {}

  TaskSettings read() const {
    TaskSettings settings;
    settings.aggregator = identity("task.aggregator");
    settings.issuer = identity("task.issuer");
    settings.shuffler = identity("task.shuffler");
    settings.malicious = number("task.malicious");
    settings.most_rounds = number("task.most_rounds");
    settings.seconds = number("task.seconds");
    if (lines_.contains("task.classes")) {
      settings.classes = number("task.classes");
      settings.features = number("task.features");
    }
    settings.randomness = value("task.randomness") == "seeded" ? Randomness::seeded : Randomness::os;
    if (number("task.wire") != wire::kWireVersion) {
      throw damaged(origin_,
                    fmt::format(": task.wire = {} is not a version that this program speaks, which is {}",
                                value("task.wire"), wire::kWireVersion));
    }
    return settings;
  }

 private:
  const std::string& value(const std::string& key) const {
    const auto found = lines_.find(key);
    if (found == lines_.end()) throw damaged(origin_, fmt::format(": {} is missing", key));
    return found->second;
  }
  std::uint64_t number(const std::string& key) const {
    const std::string& text = value(key);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
      throw damaged(origin_, fmt::format(": {} is not an integer below 2^64", key));
    }
    return number;
  }
  wire::IdentityKey identity(const std::string& key) const {
    const auto read = wire::array_from_hex<wire::IdentityKey{}.size()>(value(key));
    if (!read) throw damaged(origin_, fmt::format(": {} is not 64 hexadecimal digits", key));
    return *read;
  }

  const std::map<std::string, std::string>& lines_;
  const std::string& origin_;
};

}  // namespace

const char* name_of(Randomness randomness) { return randomness == Randomness::os ? "os" : "seeded"; }

std::uint64_t default_most_rounds(std::uint64_t rounds) {
  return rounds + rounds / 10 + (rounds % 10 > 0 ? 1 : 0);
}

TaskDocument TaskDocument::make(const Plan& plan, const TaskSettings& settings) {
  check(plan, settings);
  return {plan, settings};
}

TaskDocument TaskDocument::parse(std::string_view text, const std::string& origin) {
  const Split parts = split(text, origin);
  const TaskSettings settings = SettingsReader(parts.task, origin).read();
  try {
    const auto source = protocols::PlanSource::from_canonical(parts.plan, origin);
    TaskDocument document = make(Plan::validate(source, protocols::Command::train), settings);
    if (document.text() != text)
      throw damaged(origin, "is not as a task document is written: has it been edited?");
    return document;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::file) throw;
    throw damaged(origin, fmt::format("is not a task: {}", error.what()));
  }
}

// Every key of a plan sorts before "task." (task_document_test.cc), so the lines of the settings come last.
TaskDocument::TaskDocument(Plan plan, const TaskSettings& settings)
    : plan_(std::move(plan)), settings_(settings), text_(plan_.canonical()) {
  for (const auto& [key, value] : lines_of(settings)) text_ += fmt::format("{} = {}\n", key, value);
  name_ = wire::hash_of({wire::bytes_of(text_)});
}

}  // namespace muster::service
