// Makes the functions that a client evaluates on its record when the server asks for a mean or a histogram
// instead of gradients. Such a statistic ignores the parameters.
//
// The functions that are made are immutable and may be shared between threads; each thread needs its own
// Workspace (client_function.h).
#pragma once

#include <memory>
#include <vector>

#include "muster/learning/client_function.h"
#include "muster/learning/dataset.h"

namespace muster::learning {

// The value is the record's inputs, in the form that a model takes: a vector of data.shape.size() numbers.
std::unique_ptr<ClientFunction> make_vector_mean(const Dataset& data);

// The value is one number: for an image, the mean of its bytes divided by 255, in [0, 1]; for a row, the
// first feature. The function keeps a copy of the normalisation of `data`, so `data` need not outlive it.
std::unique_ptr<ClientFunction> make_scalar_mean(const Dataset& data);

// The value is the indicator of the record's class: data.classes numbers, 1 at the class and 0 elsewhere.
std::unique_ptr<ClientFunction> make_histogram(const Dataset& data);

// Returns the mean of `function` over the data, summed in double precision in the order of the examples.
std::vector<double> mean_over(const ClientFunction& function, const Dataset& data);

}  // namespace muster::learning
