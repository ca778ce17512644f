// Statistics instead of gradients: what a client computes on its record when the server asks for a mean
// or a histogram and nothing is learned. A statistic ignores the parameters.
//
// Thread rule: as for ClientFunction.
#pragma once

#include <memory>
#include <vector>

#include "muster/learning/client_function.h"
#include "muster/learning/dataset.h"

namespace muster::learning {

// The record's inputs, in the form that a model takes: a vector of data.shape.size() numbers.
std::unique_ptr<ClientFunction> make_vector_mean(const Dataset& data);

// One number: for an image, the mean of its pixels, as bytes over 255, in [0, 1]; for a row, its first
// feature. The function keeps the normalisation of `data`, not a reference to it.
std::unique_ptr<ClientFunction> make_scalar_mean(const Dataset& data);

// The indicator of the record's class among data.classes.
std::unique_ptr<ClientFunction> make_histogram(const Dataset& data);

// The mean of `function` over the data, summed in double precision in the order of the examples.
std::vector<double> mean_over(const ClientFunction& function, const Dataset& data);

}  // namespace muster::learning
