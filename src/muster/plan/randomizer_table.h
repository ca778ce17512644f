// The table of randomizers that a plan may name. One row holds everything about a randomizer that plans,
// calibration and simulation need: its name, its keys, the kind of its records, the description that is
// charged and the sampler that runs.
//
// A new randomizer needs an enumerator in plan.h and a row in randomizer_table.cc; CONTRIBUTING.md lists the
// other files. The functions of a row read only the fields that the keys of this row fill. All functions are
// thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "muster/describe/mechanism.h"
#include "muster/plan/plan.h"
#include "muster/randomizers/randomizer.h"
#include "muster/randomizers/sum_sampler.h"

namespace muster::protocols {

// The kind of record that a randomizer accepts.
enum class Randomizes { vectors, one_number, one_answer };

struct RandomizerSpec {
  RandomizerKind kind;
  const char* name;                    // the name in plans, for example "ldp-sgd"
  std::string_view untrainable = {};   // why training refuses the randomizer; empty if it can be trained
  std::string_view incomparable = {};  // why comparisons refuse it; empty if its noise can be solved for
  Randomizes randomizes = Randomizes::vectors;

  // Which keys of the section [randomizer] the randomizer accepts.
  bool takes_epsilon0 = true;
  bool takes_clip = true;
  bool takes_sigma = false;
  bool takes_k = false;
  bool takes_profile = false;
  // Whether the clip bounds each coordinate separately, rather than a norm that is at least the L2 norm.
  bool clips_coordinates = false;

  // What the accountant charges for one message.
  accounting::Mechanism (*description)(const PlanValues& values);
  // The sampler of one message of a record of `dimension` numbers; nullptr if there is none.
  std::unique_ptr<randomizers::VectorRandomizer> (*sampler)(const PlanValues& values,
                                                            std::size_t dimension) = nullptr;
  // The sampler of the sum of many clients' messages, with the same law as adding up single messages; nullptr
  // if there is none.
  std::unique_ptr<randomizers::SumSampler> (*sum_sampler)(const PlanValues& values,
                                                          std::size_t dimension) = nullptr;
  // The mean of |z|^2 for the decoded message z of a record of size 1 with clip norm 1, in one dimension (for
  // k-rr, summed over the k coordinates of an answer); nullptr if there is no sampler.
  double (*second_moment)(const PlanValues& values) = nullptr;
  // A number w for the first guess of a search: between neighbouring data sets, the likelihood ratio of n
  // shuffled messages has a variance of about w / n. It is finite for every positive epsilon0 and sigma.
  double (*likelihood_variance)(const PlanValues& values);
};

// Returns all randomizers, in the order of the documentation.
std::span<const RandomizerSpec> randomizer_table();
// Throws Error(internal) for a kind without a row.
const RandomizerSpec& spec_of(RandomizerKind kind);

// Returns the names of the rows that satisfy `fits`, in the table's order, as in
// randomizers_where(&RandomizerSpec::takes_clip).
std::vector<std::string_view> randomizers_where(const std::function<bool(const RandomizerSpec&)>& fits);
// Returns the names of the randomizers of vectors as errors list them: "ldp-sgd | gaussian | l1 | l2 | linf".
std::string vector_randomizers();

}  // namespace muster::protocols
