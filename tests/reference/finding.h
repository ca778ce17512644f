// A fault that a check found: the check, the kind of fault, and the commands that show it.
//
// This is a plain value, which any thread may use.
#pragma once

#include <string>
#include <vector>

namespace muster::reference {

struct Finding {
  enum class Kind {
    too_small,  // a proven upper value lies below the truth, or a lower value above it: a false guarantee
    died,       // an internal error where there should be an answer
    disorder,   // two answers contradict a theorem that orders them, so at least one of them is false or
                // larger than necessary
    slow        // more processor time than an answer may take
  };
  Kind kind;
  std::string check;   // for example "more rounds cost no less"
  std::string detail;  // the numbers that show the fault
  std::vector<std::string> commands;
};

const char* name_of(Finding::Kind kind);  // "FALSE", "DIED", "ORDER", "SLOW"

// The results of all checks of one question.
struct Verdict {
  std::vector<Finding> findings = {};
  std::vector<std::string> checks = {};  // names of the checks that applied
  std::string status = {};               // "answered", "refused", "died", "late"
  double ratio = 0;            // the upper delta divided by the reference's lower bound; 0: not compared
  double seconds = 0;          // processor seconds of the slowest answer
  std::string slowest = {};    // the command of the slowest answer
  double compare_seconds = 0;  // processor seconds of the reference
};

}  // namespace muster::reference
