// The library under test, used as the command uses it: one plan, one accountant, one statement.
//
// Whatever the library throws becomes part of the answer, so that no question can end a run of
// questions. Use an Engine on one thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "muster/accounting/statement.h"
#include "tests/reference/question.h"

namespace muster::reference {

struct Answer {
  enum class Kind { answered, refused, died };
  Kind kind = Kind::answered;
  std::string message;  // the text of the error
  // Until the accountant has answered, this is an empty statement about no rounds.
  accounting::Statement statement{
      {accounting::Question::Kind::epsilon_at_delta, 0.5}, 0, {}, std::nullopt, 0, {}};
  double seconds = 0;  // processor time that the answer took

  bool answered() const { return kind == Kind::answered; }
  double upper() const;  // infinity if there is no finite bound
  double lower() const;  // 0 if there is no lower value
  double error() const { return statement.best.numerical_error; }
  // Returns the best value minus its stated numerical error: a lower bound of the formula's exact value.
  double least() const { return upper() - error(); }
};

// A function that is called with the command before each question is asked, so that the command is known if
// the process is killed.
using Announce = std::function<void(const std::string& command)>;

class Engine {
 public:
  explicit Engine(Announce announce = {}) : announce_(std::move(announce)) {}
  Answer ask(const Question& question);
  double slowest() const { return slowest_; }
  const std::string& slowest_command() const { return slowest_command_; }
  void announce(const std::string& what) const {
    if (announce_) announce_(what);
  }

 private:
  Announce announce_;
  double slowest_ = 0;
  std::string slowest_command_;
};

// Processor time of this process, in seconds.
double processor_seconds();

// Runs `body` and turns what it throws into an answer of kind refused (no theorem covers the protocol and
// randomizer, or the plan is out of range) or died (everything else).
Answer caught(const std::function<accounting::Statement()>& body);

}  // namespace muster::reference
