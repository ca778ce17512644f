// Runs all checks of one question: its answer must be consistent in itself, agree with the reference, and
// agree with the answers to related questions.
//
// Call check() on one thread only.
#pragma once

#include <cstdint>

#include "tests/reference/engine.h"
#include "tests/reference/finding.h"
#include "tests/reference/question.h"

namespace muster::reference {

struct Effort {
  int relations = 2;    // how many relations are drawn among those that apply; 0: none, -1: all
  bool compare = true;  // whether to compare with the reference
  double slow = 5;      // an answer that takes more processor seconds than this is a finding
};

// `seed` and `index` choose which relations are checked.
Verdict check(const Question& question, std::uint64_t seed, std::uint64_t index, const Effort& effort,
              const Announce& announce = {});

}  // namespace muster::reference
