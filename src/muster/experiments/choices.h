// Names the two choices of a user whose folder already holds the run or runs that are to be trained there.
//
// The header has only a type; there is nothing to call.
#pragma once

#include <string>

namespace muster::experiments {

// The words with which errors name the two choices: flags of the command, unless the caller sets others.
struct Choices {
  std::string resume = "--resume";
  std::string another = "--out DIR";
};

}  // namespace muster::experiments
