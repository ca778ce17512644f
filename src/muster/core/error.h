// The error type of the whole library: every refusal is an Error that carries what was refused as data.
//
// The library throws; only the command line (apps/muster) catches, once, and turns the code into the exit
// status and, with --json, into one line on stdout. Nothing in the library prints or exits, except that
// Ranks::abandon (simulation/ranks.h) ends every rank of an mpirun. Copies are cheap, and an Error may cross
// threads.
#pragma once

#include <stdexcept>
#include <string>

namespace muster {

enum class ErrorCode {
  usage,        // a flag or subcommand that does not exist or does not apply
  plan,         // a plan key that is unknown, inapplicable, of the wrong type, or out of range
  uncovered,    // no theorem covers this protocol with this randomizer; `allowed` names the missing theorem
  data,         // a data set that is missing, truncated, or malformed
  file,         // a file or folder that cannot be read or written
  checkpoint,   // a checkpoint that is corrupt or belongs to another plan
  budget,       // the first round already exceeds privacy.budget
  internal,     // a broken invariant: a defect in muster
  interrupted,  // Ctrl-C or SIGTERM; a checkpoint was written
};

// The process exit status: 2 for usage, plan and uncovered; 3 for data, file and checkpoint; 4 for budget; 5
// for internal; 130 for interrupted. Users find them in docs/plan.md, "Exit status".
int exit_status(ErrorCode code);

// The code's name as printed in JSON, for example "plan".
const char* name_of(ErrorCode code);

class Error : public std::runtime_error {
 public:
  // `key` is what was refused (a plan key, flag or path; it may be empty), `value` is its value as text,
  // and `allowed` is the range or the alternatives. what() is a sentence that has the key as its subject and
  // `message` as its predicate ("is out of range"), without the parts that are empty:
  //     of what was typed (usage, plan, budget)     "rounds.count = -1 is out of range; allowed: ..."
  //     of files (data, file, checkpoint)           "a.csv cannot be read; found: a folder, expected: ..."
  //     of a theorem or a defect                    "view = sum-only: message; allowed: ..."
  // The value of a flag follows it as it was typed ("--view x"). A message that begins with a comma or a
  // colon continues the subject (", line 3: ...").
  Error(ErrorCode code, std::string key, std::string value, std::string allowed, const std::string& message);

  // An error whose what() is `text`, for what those sentences cannot say.
  static Error in_words(ErrorCode code, std::string key, std::string value, std::string allowed,
                        const std::string& text);

  ErrorCode code() const { return code_; }
  const std::string& key() const { return key_; }
  const std::string& value() const { return value_; }
  const std::string& allowed() const { return allowed_; }

 private:
  struct Whole {};  // marks the text of a whole message
  Error(Whole, ErrorCode code, std::string key, std::string value, std::string allowed,
        const std::string& text);

  ErrorCode code_;
  std::string key_;
  std::string value_;
  std::string allowed_;
};

}  // namespace muster
