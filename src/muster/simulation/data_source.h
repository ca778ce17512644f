// Loads the data sets that a plan names: `digits`, and files in the formats of plan/value_kinds.h.
//
// The functions only read files, and may be called from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"

namespace muster::simulation {

// Returns the plan's training and test examples. For `digits`, these are as many training examples as the
// clients hold together, but at most 60,000, and 10,000 test examples, all drawn from the plan's seed. Throws
// Error(plan) if the plan names a file after "idx:", which needs a folder, or if there are too few records or
// clients (population.h). Throws Error(data) if the files cannot be read or are not in the format.
learning::DataSplit load_data(const protocols::Plan& plan);
// Returns the test examples of the data set that a plan's values name. Only the values data, label, split,
// owner, test_data and, for digits, seed are used. Throws as load_data does, but does not count records or
// clients.
learning::Dataset load_test_data(const protocols::PlanValues& values);
// Returns the examples of the test file that the value test_data names, for a model with `classes` classes.
// `class_names` are the names of these classes if labels are text. Throws Error(data) if the file cannot be
// read or does not fit the model.
learning::Dataset load_test_data(const protocols::PlanValues& values, std::size_t classes,
                                 const std::vector<std::string>& class_names);
// Returns a text that says which data the plan loads. Plans with the same text load the same data.
std::string data_identity(const protocols::Plan& plan);

// Returns the examples of model.public_data: the training part of that data set or, for `digits`, 20,000
// digits that are drawn from the plan's seed with a random stream of their own. Throws as load_data does, but
// does not count records or clients.
learning::Dataset load_public_data(const protocols::Plan& plan);

// Checks that public data is not private data. `open` comes from load_public_data and `data` from load_data.
// Throws Error(plan) if model.public_data and population.data name the same folder or file, and Error(data)
// if some example of `open` has the inputs of a training or test example of `data`, byte for byte.
void expect_disjoint(const protocols::Plan& plan, const learning::Dataset& open,
                     const learning::DataSplit& data);

}  // namespace muster::simulation
