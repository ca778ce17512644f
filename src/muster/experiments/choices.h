// What a user chooses between if a folder already holds the run, or the runs, that is to be trained there.
//
// Type only; there is nothing to call.
#pragma once

#include <string>

namespace muster::experiments {

// How errors name the two choices: as flags of the command unless the caller is another one.
struct Choices {
  std::string resume = "--resume";
  std::string another = "--out DIR";
};

}  // namespace muster::experiments
