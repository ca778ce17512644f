// Defines the file metrics.jsonl of a run, which has one logged round per line, as a JSON object. The
// functions may be called from any thread, and a file may be read while its run is still writing to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "muster/plan/plan.h"

namespace muster::simulation {

inline constexpr const char* kMetricsFile = "metrics.jsonl";

// What is measured after a logged round. In a slot protocol, `round` counts whole runs of slots. A run that
// has begun is counted and charged in full: its first slots reveal no more than all of its slots do.
struct Measurement {
  std::uint64_t round = 0;  // number of rounds done, at least 1
  double accuracy = 0;      // of the reported model on the whole test set, in [0, 1]
  double epsilon = 0;       // proven upper epsilon of the rounds done; infinite if none is proven
  // The number of messages of the last step, including the server's dummies, because which ones are dummies
  // is secret.
  std::uint64_t check_ins = 0;
  // The number of neutral answers so far, the messages that clients sent because their own vector was not
  // finite; nullopt if an older version, which did not count them, wrote the line. This number reveals
  // something about the records, and no epsilon covers it: it is meant for those who run the simulation, not
  // for publication.
  std::optional<std::uint64_t> neutral = std::nullopt;
  // In slot protocols, the number of slots done in all runs together; otherwise nullopt.
  std::optional<std::uint64_t> slot = std::nullopt;
  // The mean cross-entropy of the reported model on the whole test set, in nats; infinity if the computed
  // mean is infinite or NaN. nullopt for a statistic, or if an older version, which did not compute it,
  // wrote the line.
  std::optional<double> loss = std::nullopt;
  // The accuracy by client (client_accuracy.h): the mean over clients, and the mean over the worst tenth of
  // the clients. nullopt if each client holds only one record, and for a statistic. No epsilon covers these
  // values or `neutral`.
  std::optional<double> client_accuracy = std::nullopt;
  std::optional<double> worst_decile = std::nullopt;
  std::uint64_t messages = 0;  // messages so far, dummies included
  double seconds = 0;          // time that the run took in all its invocations, without loading data

  // Returns the number of rounds done or, in slot protocols, of slots done in all runs together.
  std::uint64_t step() const { return slot.value_or(round); }

  // The fields that `muster train --json` prints (json_fields.h); describe() adds those that only the file
  // has.
  template <typename Self, typename Fields>
  static void describe_shown(Self& self, Fields& fields) {
    fields.count("round", self.round);
    fields.number("accuracy", self.accuracy, 0, 1);
    fields.number_or_null("epsilon", self.epsilon);
    fields.count("check_ins", self.check_ins);
    fields.count("neutral", self.neutral);
    fields.count("slot", self.slot);
    fields.number_or_null("loss", self.loss);
    fields.number("client_accuracy", self.client_accuracy, 0, 1);
    fields.number("worst_decile", self.worst_decile, 0, 1);
  }
  template <typename Self, typename Fields>
  static void describe(Self& self, Fields& fields) {
    describe_shown(self, fields);
    fields.count("messages", self.messages);
    fields.number("seconds", self.seconds, 0, 1e300);
  }

  bool operator==(const Measurement&) const = default;
};

// metrics_line returns the line of the file, and shown_line the line that `muster train --json` prints, both
// without an end of line.
std::string metrics_line(const Measurement& measured);
std::string shown_line(const Measurement& measured);

// Reads the logged rounds of a run of this plan. If `finished`, the last line must be complete; otherwise an
// incomplete last line is left out, because the run may still be writing it. Bytes beyond `max_bytes` are
// ignored. Throws Error(file), naming the file and the line, for a line that does not fit the plan or the
// lines before it. The epsilons are those stated in the file; they are not computed again.
std::vector<Measurement> read_metrics(const std::filesystem::path& file, const protocols::Plan& plan,
                                      bool finished,
                                      std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max());

}  // namespace muster::simulation
