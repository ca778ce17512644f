// Defines the log of a training, OUT/logs/NAME.jsonl: the accuracies of every seed at the logged rounds, and
// a head that identifies the training. A figure can be drawn from it without training.
//
// The first line says which plan was trained, how, and on which data; each further line is one logged round
// of one seed, seed by seed. The log states no epsilon, because epsilons are always computed anew. Only
// read_training_log accesses a file, and it only reads; call the functions from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace muster::reproduce {

// Identifies the training of a log. Two trainings with equal heads have equal accuracies.
struct LogHead {
  std::string training;  // Training::name()
  double scale = 1;      // the fraction of the plan's rounds that were trained
  std::string hash;      // of the plan at this scale, with the first seed and the plan's own data
  std::string data;      // "digits", or the format of the user's data, such as "idx"; no path
  std::string digest;    // of the training and the test examples (those of the first seed), in hexadecimal
  std::string public_digest = {};  // of public examples that the user gives; empty if there are none
  std::uint64_t seed = 1;          // the first
  std::uint64_t seeds = 1;         // how many

  template <typename Self, typename Fields>
  static void describe(Self& self, Fields& fields) {
    fields.text("training", self.training);
    fields.number("scale", self.scale, 0, 1);
    fields.text("hash", self.hash);
    fields.text("data", self.data);
    fields.text("digest", self.digest);
    fields.text("public_digest", self.public_digest);
    fields.count("seed", self.seed);
    fields.count("seeds", self.seeds);
  }
  bool operator==(const LogHead&) const = default;
};

// One logged round of one seed.
struct LogLine {
  std::uint64_t seed = 1;
  std::uint64_t round = 0;
  std::optional<std::uint64_t> slot = std::nullopt;  // as in Measurement (simulation/runs/metrics_file.h)
  double accuracy = 0;

  template <typename Self, typename Fields>
  static void describe(Self& self, Fields& fields) {
    fields.count("seed", self.seed);
    fields.count("round", self.round);
    fields.count("slot", self.slot);
    fields.number("accuracy", self.accuracy, 0, 1);
  }
  std::uint64_t step() const { return slot.value_or(round); }
  bool operator==(const LogLine&) const = default;
};

struct TrainingLog {
  LogHead head;
  std::vector<LogLine> lines;  // seed by seed, by increasing round
  bool operator==(const TrainingLog&) const = default;
};

// Returns the text of the file; every line ends in a line end.
std::string log_text(const TrainingLog& log);
// Throws Error(file), naming the file and the line, for a file that is missing or is no such log: every seed
// of the head must have the same logged rounds, at least one.
TrainingLog read_training_log(const std::filesystem::path& file);

// Throws Error(file), which says what differs, unless `found`, the head of the log in `file`, is of the
// wanted training.
void expect_log_of(const LogHead& wanted, const LogHead& found, const std::filesystem::path& file);

}  // namespace muster::reproduce
