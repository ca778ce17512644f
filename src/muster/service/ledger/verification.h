// Checks a ledger against its task: every signature, every count, and every epsilon, which is computed anew.
//
// Nothing but the ledger, the task document and the accountant is needed, so anybody who has the folder can
// verify it offline. Reading the ledger (ledger.h) has already checked the chain and the order of entries.
// The function is pure but for the calls of `epsilon`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "muster/service/ledger/ledger.h"
#include "muster/service/task/task_document.h"

namespace muster::service {

// How one round ended.
struct RoundRecord {
  std::uint64_t round = 0;
  std::string outcome;  // "released", "spent", "void" or "open"
  std::string reason;   // of a spent round (entry.h); for a void one "heard fewer devices than needed"
  double epsilon = 0;   // of all rounds charged up to here, as computed
  std::uint64_t heard = 0, reports = 0;  // by the shuffler's manifest; 0 without one
  std::string signer = {};  // "shuffler", if it signed the manifest that the outcome rests on; else empty
};

struct Verification {
  std::vector<RoundRecord> rounds;
  double epsilon = 0;  // of all rounds charged, as computed
  std::string ended;   // why the task ended; empty while it has not
  // What is wrong, a sentence each, with the number of the entry; empty if the ledger is as it must be.
  std::vector<std::string> findings;
};

// `epsilon` returns the epsilon of the task's plan after a number of rounds, as `muster account` prints it.
Verification verify(const Ledger& ledger, const TaskDocument& task,
                    const std::function<double(std::uint64_t)>& epsilon);

}  // namespace muster::service
