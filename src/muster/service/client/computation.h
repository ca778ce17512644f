// What a device computes on its record in a round. It may fail, crash or take too long: whoever owns the coin
// then sends the message of the zero vector, and so nobody can tell.
//
// SynchronousComputation computes within start(). ForkedComputation (forked_computation.h), for a device that
// is alone in its process, computes in another one. An object belongs to one thread.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "muster/learning/dataset.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/bytes.h"

namespace muster::service {

class Computation {
 public:
  virtual ~Computation() = default;
  // Begins to compute at the model with these blobs (model/model_blob.h); `frozen` is empty if there is none.
  // The blobs have the hashes that the round's descriptor names, and may still be anything.
  virtual void start(wire::Bytes model, wire::Bytes frozen) = 0;
  // The vector; nullopt while it is not ready, and if it cannot be computed.
  virtual std::optional<std::vector<float>> result() = 0;
  // Ends the computation and forgets its result, if there is any.
  virtual void stop() noexcept = 0;
};

class SynchronousComputation final : public Computation {
 public:
  // `record` returns the device's record as a data set of one example. It is called after the coin of a
  // round, and may throw. The task must outlive the object.
  SynchronousComputation(const TaskDocument& task, std::function<learning::Dataset()> record);

  void start(wire::Bytes model, wire::Bytes frozen) override;
  std::optional<std::vector<float>> result() override { return result_; }
  void stop() noexcept override;

 private:
  const TaskDocument& task_;
  std::function<learning::Dataset()> record_;
  std::optional<std::vector<float>> result_;
};

}  // namespace muster::service
