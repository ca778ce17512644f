#include "muster/reproduce/training_log.h"

#include <fmt/format.h>

#include <stdexcept>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/simulation/runs/json_fields.h"

namespace muster::reproduce {
namespace {

template <typename Struct>
std::string line_of(const Struct& stored) {
  simulation::JsonFieldWriter fields;
  Struct::describe(stored, fields);
  return fields.str() + "\n";
}

template <typename Struct>
Struct parsed(const std::string& line) {
  const simulation::JsonFieldReader fields(line);
  Struct stored;
  Struct::describe(stored, fields);
  return stored;
}

// Throws std::invalid_argument unless `line` may follow the last line of `log`.
void require_follows(const TrainingLog& log, const LogLine& line) {
  const std::vector<LogLine>& lines = log.lines;
  const bool begins = lines.empty() || line.seed != lines.back().seed;
  if (begins && line.seed != (lines.empty() ? log.head.seed : lines.back().seed + 1)) {
    throw std::invalid_argument("\"seed\" is not the next one");
  }
  if (line.seed - log.head.seed >= log.head.seeds) throw std::invalid_argument("a seed too many");
  if (line.round == 0 || (!begins && line.step() <= lines.back().step())) {
    throw std::invalid_argument("rounds do not increase");
  }
}

// Throws std::invalid_argument unless each seed has the logged rounds of the first one.
void require_complete(const TrainingLog& log) {
  const std::size_t size = log.lines.size(), each = size / log.head.seeds;
  bool same = each > 0 && each * log.head.seeds == size;
  for (std::size_t i = 0; same && i < size; ++i) {
    same = log.lines[i].seed == log.head.seed + i / each && log.lines[i].round == log.lines[i % each].round &&
           log.lines[i].slot == log.lines[i % each].slot;
  }
  if (!same) throw std::invalid_argument("the seeds do not have the same logged rounds");
}

TrainingLog log_of(const std::string& text, const std::filesystem::path& file) {
  TrainingLog log;
  std::size_t number = 0;
  try {
    for (std::size_t at = 0; at < text.size();) {
      ++number;
      const std::size_t end = text.find('\n', at);
      if (end == text.npos) throw std::invalid_argument("the line is cut off");
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      if (number == 1) {
        log.head = parsed<LogHead>(line);
        if (log.head.seeds == 0) throw std::invalid_argument("\"seeds\" is 0");
        continue;
      }
      const LogLine next = parsed<LogLine>(line);
      require_follows(log, next);
      log.lines.push_back(next);
    }
    ++number;
    if (number == 1) throw std::invalid_argument("the file is empty");
    require_complete(log);
  } catch (const std::invalid_argument& wrong) {
    throw Error(ErrorCode::file, file.string(), "", "", fmt::format(", line {}: {}", number, wrong.what()));
  }
  return log;
}

}  // namespace

std::string log_text(const TrainingLog& log) {
  std::string text = line_of(log.head);
  for (const LogLine& line : log.lines) text += line_of(line);
  return text;
}

TrainingLog read_training_log(const std::filesystem::path& file) { return log_of(read_file(file), file); }

void expect_log_of(const LogHead& wanted, const LogHead& found, const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& has, const std::string& needs, const std::string& what) {
    throw Error(ErrorCode::file, file.string(), has, needs, "is a log of " + what);
  };
  const auto number = [](double scale) { return fmt::format("--scale {}", scale); };
  if (found.training != wanted.training) refuse(found.training, wanted.training, "another training");
  if (found.scale != wanted.scale) refuse(number(found.scale), number(wanted.scale), "another scale");
  if (found.seed != wanted.seed || found.seeds != wanted.seeds) {
    refuse(fmt::format("{} from {} on", found.seeds, found.seed),
           fmt::format("{} from {} on", wanted.seeds, wanted.seed), "other seeds");
  }
  if (found.data != wanted.data) refuse(found.data, wanted.data, "other data");
  if (found.digest != wanted.digest) refuse(found.digest, wanted.digest, "other data of the same format");
  if (found.public_digest != wanted.public_digest) {
    refuse(found.public_digest, wanted.public_digest, "other public data of the same format");
  }
  if (found.hash != wanted.hash) refuse(found.hash, wanted.hash, "another plan");
}

}  // namespace muster::reproduce
