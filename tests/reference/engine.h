// The engine under test, asked as the command asks it: one plan, one accountant, one statement.
//
// Whatever it throws becomes part of the answer, so that a question never
// ends a run of questions. Single thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "muster/accounting/statement.h"
#include "tests/reference/question.h"

namespace muster::reference {

struct Answer {
  enum class Kind { answered, refused, died };
  Kind kind = Kind::answered;
  std::string message;  // of the error
  accounting::Statement statement;
  double seconds = 0;  // of this process on a processor

  bool answered() const { return kind == Kind::answered; }
  double upper() const;  // infinity where there is no finite bound
  double lower() const;  // 0 where there is none
  double error() const { return statement.best.numerical_error; }
  // The best value less its stated numerical error: what the formula itself is not below.
  double least() const { return upper() - error(); }
};

// Called with the command before each question is put: what was being asked
// when a process is ended from outside.
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

// Runs `body` and turns what it throws into an answer of kind refused (a pair no theorem covers, a plan out
// of range) or died (everything else).
Answer caught(const std::function<accounting::Statement()>& body);

}  // namespace muster::reference
