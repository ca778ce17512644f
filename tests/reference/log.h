// The log of a long run: one block of lines for each question, so that the run can stop at any time and
// continue later.
//
// A block is a line "question SEED INDEX" and the text of the verdict. A block that was cut off is
// dropped, and its question is asked again. Use a Log on one thread only, with one process per file.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>

#include "tests/reference/finding.h"

namespace muster::reference {

class Log {
 public:
  // Reads the verdicts in the file on questions of `seed`. With an empty path nothing is read or kept.
  Log(const std::string& path, std::uint64_t seed);
  const std::map<std::uint64_t, Verdict>& before() const { return before_; }
  bool holds(std::uint64_t index) const { return before_.contains(index); }
  void keep(std::uint64_t index, const Verdict& verdict);

 private:
  std::uint64_t seed_;
  std::map<std::uint64_t, Verdict> before_;
  std::ofstream file_;
};

}  // namespace muster::reference
