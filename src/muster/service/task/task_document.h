// The task document: the plan and everything else that devices and roles agree on before the first round.
//
// It is made once and never changes; new keys or parameters are a new task. Its text has one "key = value" a
// line, sorted by key: the lines of the plan's canonical text, so that the plan has the same hash as in a
// simulation, and these:
//
//     task.aggregator, task.issuer, task.shuffler   identity keys, in hexadecimal
//     task.classes, task.features   of the records, for csv data alone: one record does not show them
//     task.malicious     devices that may be hostile, 0 .. population.clients
//     task.most_rounds   rounds opened at most, void ones included
//     task.randomness    os, or seeded (for tests: coins and noise follow from the plan's seed)
//     task.seconds       how long a round lasts, 1 .. 604800
//     task.wire          1
//
// The BLAKE2b-256 of the text is the task's name. A TaskDocument is immutable and may be shared between
// threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "muster/plan/plan.h"
#include "muster/wire/bytes.h"
#include "muster/wire/signature.h"

namespace muster::service {

enum class Randomness : std::uint8_t { os, seeded };
const char* name_of(Randomness randomness);

struct TaskSettings {
  std::uint64_t malicious = 0;
  std::uint64_t seconds = 0;
  std::uint64_t most_rounds = 0;  // default_most_rounds() unless somebody asks for another number
  Randomness randomness = Randomness::os;
  wire::IdentityKey aggregator{}, issuer{}, shuffler{};
  std::uint64_t features = 0, classes = 0;  // of csv data: 1 .. 65535 and 2 .. 256; otherwise 0
};

// Returns the plan's rounds and a tenth more, rounded up, which take the place of rounds that become void.
std::uint64_t default_most_rounds(std::uint64_t rounds);

class TaskDocument {
 public:
  // Throws Error(plan) for a plan that is not deployed (deployable.h), for settings out of range, and for
  // roles that share an identity.
  static TaskDocument make(const protocols::Plan& plan, const TaskSettings& settings);
  // Reads what text() returns. `origin` names the text in errors. Throws Error(file), naming the line or the
  // key, for any other text, even one that says the same in other words.
  static TaskDocument parse(std::string_view text, const std::string& origin);

  const std::string& text() const { return text_; }
  const wire::Hash& name() const { return name_; }
  const protocols::Plan& plan() const { return plan_; }
  const TaskSettings& settings() const { return settings_; }
  // The devices that must be heard before a round may be released: the clients that the theorem counts on,
  // and the hostile ones.
  std::uint64_t needed() const { return plan_.clients() + settings_.malicious; }

 private:
  TaskDocument(protocols::Plan plan, const TaskSettings& settings);
  protocols::Plan plan_;
  TaskSettings settings_;
  std::string text_;
  wire::Hash name_;
};

}  // namespace muster::service
