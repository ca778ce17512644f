// The summary of a run of questions: counts by protocol, the tightest and the loosest comparison, the slowest
// answer, and the findings.
//
// Use a Tally on one thread only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/reference/finding.h"
#include "tests/reference/generator.h"

namespace muster::reference {

// A known finding, which is reported but does not fail the tests, with the reason.
struct Known {
  std::uint64_t seed;
  std::uint64_t index;
  const char* check;  // Finding::check of the finding
  const char* reason;
};
const std::vector<Known>& known_findings();

class Tally {
 public:
  explicit Tally(std::uint64_t seed, Focus focus = Focus::everything) : seed_(seed), focus_(focus) {}
  // Returns true if a finding is not a known one, so that the run fails. A slow answer counts only if
  // `slow_fails`.
  bool add(std::uint64_t index, const Verdict& verdict, bool slow_fails);
  std::string summary() const;
  std::uint64_t asked() const { return asked_; }

 private:
  struct Extreme {
    double ratio = 0;
    std::uint64_t index = 0;
  };
  std::uint64_t seed_;
  Focus focus_;
  std::uint64_t asked_ = 0, compared_ = 0;
  std::map<std::string, std::uint64_t> statuses_, protocols_, compared_by_, checks_, findings_;
  std::map<std::string, Extreme> tightest_, loosest_;
  std::vector<double> seconds_;
  double slowest_ = 0;
  std::string slowest_command_;
};

// Returns a text such as "FALSE (question 12 of seed 1) more rounds
// cost no less: 3 should not pass 2", and then the commands.
std::string describe(std::uint64_t seed, std::uint64_t index, const Finding& finding);
// Returns the reason of a known finding, or null.
const char* reason_to_wait(std::uint64_t seed, std::uint64_t index, const Finding& finding);

}  // namespace muster::reference
