// The data sets a plan names: `digits`, idx:DIR, csv:FILE, cifar:DIR.
//
// Pure reading; any thread.
#pragma once

#include <string>

#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"

namespace muster::simulation {

// The plan's training and test examples: for `digits` one training example a client, 60,000 at most, and
// 10,000 test examples, all drawn from the plan's seed. Error(data) or Error(file).
learning::DataSplit load_data(const protocols::Plan& plan);
// Plans of the same identity load the same data.
std::string data_identity(const protocols::Plan& plan);

// The examples of model.public_data: for `digits` 20,000 of the open set, whose stream is neither that of the
// training digits nor that of the test digits; else the training part of what it names.
learning::Dataset load_public_data(const protocols::Plan& plan);

// What is public must not be what is private. Error(plan) when both names lead to one
// folder or file, Error(data) when some example of `open` has the inputs of a training or
// test example of `data`, byte for byte.
void expect_disjoint(const protocols::Plan& plan, const learning::Dataset& open,
                     const learning::DataSplit& data);

}  // namespace muster::simulation
