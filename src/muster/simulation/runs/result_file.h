// Defines the file result.json of a finished run, which says how the run ended, as one JSON object.
//
// `muster train --json` prints the same object, and prints it again for a finished run. A new field needs a
// member here, a row in describe() and a row in docs/formats.md, and training.cc must compute its value. The
// member is a std::optional, because files of earlier versions lack the field. Only read_result() accesses a
// file, and it only reads; call the functions from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "muster/accounting/statement.h"
#include "muster/describe/view.h"
#include "muster/plan/plan.h"
#include "muster/simulation/fidelity.h"
#include "muster/simulation/runs/checkpoint.h"

namespace muster::simulation {

inline constexpr const char* kResultFile = "result.json";

enum class Stopped { done, budget, interrupted };
const char* name_of(Stopped stopped);

struct RunResult {
  double accuracy = 0;  // of the reported model on the whole test set, in [0, 1]
  double epsilon = 0;   // proven upper epsilon of `rounds`; infinite if none is proven
  double delta = 0;
  std::uint64_t rounds = 0;
  double seconds = 0;              // time that the run took, as in Measurement
  double examples_per_second = 0;  // messages, dummies included, per second; 0 if no time was measured
  Fidelity fidelity = Fidelity::message;
  Stopped stopped = Stopped::done;
  std::string out;  // the run's folder
  // The number of neutral answers of the whole run, as in Measurement (metrics_file.h).
  std::optional<std::uint64_t> neutral = std::nullopt;
  // The average number of clients that hold the same record; 1 if clients share no records.
  std::optional<double> clients_per_record = std::nullopt;
  // In slot protocols, the number of slots done in all runs together.
  std::optional<std::uint64_t> slots = std::nullopt;
  // These three fields say what kind of guarantee `epsilon` is.
  std::optional<accounting::Validity> validity = std::nullopt;
  std::optional<accounting::Neighbouring> neighbouring = std::nullopt;
  std::optional<accounting::View> view = std::nullopt;
  // The next three fields are as in Measurement.
  std::optional<double> loss = std::nullopt;
  std::optional<double> client_accuracy = std::nullopt;
  std::optional<double> worst_decile = std::nullopt;

  // Lists the fields in the order in which they are written (json_fields.h).
  template <typename Self, typename Fields>
  static void describe(Self& self, Fields& fields) {
    fields.number("accuracy", self.accuracy, 0, 1);
    fields.number_or_null("epsilon", self.epsilon);
    fields.number("delta", self.delta, 0, 1);
    fields.count("rounds", self.rounds);
    fields.number("seconds", self.seconds, 0, 1e300);
    fields.number("examples_per_second", self.examples_per_second, 0, 1e300);
    fields.one_of("fidelity", self.fidelity, {Fidelity::message, Fidelity::sum});
    fields.one_of("stopped", self.stopped, {Stopped::done, Stopped::budget, Stopped::interrupted});
    fields.text("out", self.out);
    fields.count("neutral", self.neutral);
    fields.number("clients_per_record", self.clients_per_record, 1, 1e300);
    fields.count("slots", self.slots);
    // read_result() refuses every value that is not listed here. Runs are charged only by proven bounds for
    // replace-one.
    fields.one_of("validity", self.validity, {accounting::Validity::proven});
    fields.one_of("neighbouring", self.neighbouring, {accounting::Neighbouring::replace_one});
    fields.one_of(
        "view", self.view,
        {accounting::View::shuffler_honest, accounting::View::sum_only, accounting::View::server_trusted});
    fields.number_or_null("loss", self.loss);
    fields.number("client_accuracy", self.client_accuracy, 0, 1);
    fields.number("worst_decile", self.worst_decile, 0, 1);
  }

  bool operator==(const RunResult&) const = default;
};

// Returns the JSON object on one line, without an end of line.
std::string result_line(const RunResult& result);

// Reads the file and checks that it fits this plan and the rounds and fidelity of its checkpoint. Returns
// nullopt if there is no such file; throws Error(file) if it is damaged or belongs to another run. The
// epsilon is the one stated in the file; it is not computed again.
std::optional<RunResult> read_result(const std::filesystem::path& file, const protocols::Plan& plan,
                                     const Checkpoint& checkpoint);

}  // namespace muster::simulation
