#include "muster/describe/stage.h"

#include <fmt/format.h>

#include "muster/core/error.h"

namespace muster::accounting {

void validate_rounds(std::uint64_t rounds) {
  if (rounds > kMaxRounds) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "rounds", fmt::format("{}", rounds),
                fmt::format("at most {}", kMaxRounds), "is out of range");
  }
}

std::uint64_t total_rounds(const std::vector<Stage>& stages) {
  std::uint64_t rounds = 0;
  for (const Stage& stage : stages) {
    validate_rounds(stage.rounds);  // so that the sum cannot wrap around and leave rounds uncharged
    rounds += stage.rounds;
    validate_rounds(rounds);
  }
  return rounds;
}

}  // namespace muster::accounting
