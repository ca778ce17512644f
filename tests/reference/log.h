// The log of a long run: one block of lines a question, so that a run can stop at any time and go on later.
//
// A block is the verdict's text after a line "question SEED INDEX"; a block that was cut off is dropped and
// asked again. Single thread, one process a file.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>

#include "tests/reference/finding.h"

namespace muster::reference {

class Log {
 public:
  // No file: nothing is kept. Reads what the file holds of `seed`.
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
