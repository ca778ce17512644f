// Declares what a client computes on its own record before clipping and randomization: a gradient or a
// statistic.
//
// `parameters` is the server's model in this round, one flat vector of floats; a statistic ignores it. A
// ClientFunction is immutable and may be shared between threads; a Workspace belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace muster::learning {

struct Example {
  // The inputs in the form that the model takes: a normalised image as [y][x][channel], or a row of features.
  std::span<const float> inputs;
  std::uint8_t label;  // below the data set's number of classes
};

class Workspace {
 public:
  virtual ~Workspace() = default;

 private:
  friend class ClientFunction;
  std::vector<float> value_;  // what ClientFunction::accumulate() adds; empty until it is called
};

class ClientFunction {
 public:
  virtual ~ClientFunction() = default;
  virtual std::size_t dimension() const = 0;
  virtual std::unique_ptr<Workspace> make_workspace() const = 0;

  // Precomputes what does not depend on the example and keeps it in the workspace. A call before evaluate()
  // saves time but is not required. The floats of `parameters` must not change until the workspace is
  // prepared again or destroyed.
  virtual void prepare(std::span<const float> /*parameters*/, Workspace&) const {}

  // Overwrites `out` (dimension() floats) with the function's value for one example.
  virtual void evaluate(std::span<const float> parameters, const Example& example, Workspace& workspace,
                        std::span<float> out) const = 0;

  // Adds the function's value for one example to `sum` (dimension() floats), and multiplies the new sum by
  // `scale`. If `scale` is 1/n at the last of n values and 1 before, the sum becomes the mean of the values.
  // The addition and the multiplication are rounded separately: the bits are those of evaluate() followed by
  // sum[i] = (sum[i] + out[i]) * scale. A derived class that need not write the value to memory first
  // overrides this function to save time.
  virtual void accumulate(std::span<const float> parameters, const Example& example, Workspace& workspace,
                          float scale, std::span<float> sum) const {
    std::vector<float>& value = workspace.value_;
    value.resize(sum.size());
    evaluate(parameters, example, workspace, value);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = (sum[i] + value[i]) * scale;
  }
};

}  // namespace muster::learning
