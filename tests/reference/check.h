// All checks of one question: its answer in itself, against the reference,
// and against answers to its neighbours.
//
// Single thread; what a run of questions repeats for each index.
#pragma once

#include <cstdint>

#include "tests/reference/engine.h"
#include "tests/reference/finding.h"
#include "tests/reference/question.h"

namespace muster::reference {

struct Effort {
  int relations = 2;    // drawn at random among those that apply; 0: none, -1: all
  bool compare = true;  // with the reference
  double slow = 5;      // processor seconds from which an answer is a finding
};

// `seed` and `index` choose which relations are asked.
Verdict check(const Question& question, std::uint64_t seed, std::uint64_t index, const Effort& effort,
              const Announce& announce = {});

}  // namespace muster::reference
