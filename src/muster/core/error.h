// The error type of the library. Every refusal is an Error, which carries the reason, the refused key, its
// value and the allowed values as separate fields.
//
// An Error that reaches the command line (apps/muster/main.cc) is turned into a message, into the exit status
// of its code and, with --json, into one line on stdout. Nothing in the library prints or ends its process:
// only Ranks::abandon (simulation/ranks.h) ends every rank of an mpirun, and the child process in which a
// device computes (service/client/forked_computation.h) ends itself. An Error may cross threads.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace muster {

enum class ErrorCode {
  usage,        // a flag or subcommand that does not exist or does not apply
  plan,         // a plan key that is unknown, inapplicable, of the wrong type, or out of range
  uncovered,    // no theorem covers the question, and `allowed` says what is covered
  data,         // a data set that is missing, truncated, or malformed
  file,         // a file or folder that cannot be read or written
  checkpoint,   // a checkpoint that is corrupt or belongs to another plan
  budget,       // a budget does not pay for what was asked, or the planned epsilon is 0 or infinite
  internal,     // a broken invariant: a defect in muster
  interrupted,  // Ctrl-C or SIGTERM stopped the work
};

// Why a plan, a flag or an argument was refused (codes plan and usage). The words of a message may change, so
// programs and tests compare the Reason instead.
enum class Reason {
  none,           // no reason is given besides the code
  unknown,        // there is no such key, flag, command or name
  missing,        // what is needed is not stated
  wrong_type,     // the value is not of the type that the key needs
  out_of_range,   // the value is outside the allowed range, or not one of the allowed values
  malformed,      // the text or list does not have the form that is needed
  inapplicable,   // the key or value does not apply to this command, protocol, randomizer or model
  contradiction,  // the value does not fit another key, another flag, or the data
};

// The process exit status: 2 for usage, plan and uncovered; 3 for data, file and checkpoint; 4 for budget; 5
// for internal; 130 for interrupted. docs/plan.md explains them under "Exit status".
int exit_status(ErrorCode code);

// The code's name as printed in JSON, for example "plan".
const char* name_of(ErrorCode code);
// The reason's name as printed in JSON, for example "out-of-range".
const char* name_of(Reason reason);

class Error : public std::runtime_error {
 public:
  // `key` is what was refused (a plan key, flag or path; it may be empty), `value` is its value as text, and
  // `allowed` is the allowed range or the alternatives. what() is a sentence: the key is its subject, and
  // `message` is its predicate ("is out of range"). Parts that are empty are left out. The form depends on
  // the code:
  //     usage, plan, budget               "rounds.count = -1 is out of range; allowed: ..."
  //     data, file, checkpoint            "a.csv cannot be read; found: a folder, expected: ..."
  //     uncovered, internal, interrupted  "view = sum-only: message; allowed: ..."
  // After a flag, its value follows without "=", as it was typed ("--view x"). A message that begins with a
  // comma or a colon continues the subject (", line 3: ..."). Control characters are escaped, as in "\x1b".
  Error(ErrorCode code, Reason reason, std::string key, std::string value, std::string allowed,
        const std::string& message);
  Error(ErrorCode code, std::string key, std::string value, std::string allowed, const std::string& message)
      : Error(code, Reason::none, std::move(key), std::move(value), std::move(allowed), message) {}

  // An error whose what() is exactly `text`, for a message that none of these forms fits.
  static Error in_words(ErrorCode code, Reason reason, std::string key, std::string value,
                        std::string allowed, const std::string& text);
  static Error in_words(ErrorCode code, std::string key, std::string value, std::string allowed,
                        const std::string& text);

  ErrorCode code() const { return code_; }
  Reason reason() const { return reason_; }
  const std::string& key() const { return key_; }
  const std::string& value() const { return value_; }
  const std::string& allowed() const { return allowed_; }

 private:
  struct Whole {};  // selects the constructor whose `text` is all of what()
  Error(Whole, ErrorCode code, Reason reason, std::string key, std::string value, std::string allowed,
        const std::string& text);

  ErrorCode code_;
  Reason reason_;
  std::string key_;
  std::string value_;
  std::string allowed_;
};

}  // namespace muster
