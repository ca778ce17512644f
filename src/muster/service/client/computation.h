// What a device computes on its record in a round. It may fail, crash or take too long: the device then sends
// the message of the zero vector, so that from outside nothing shows.
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
  // Begins to compute the device's vector for the model that these blobs encode (model/model_blob.h).
  // `frozen` is empty if the model has no frozen part. The blobs have the hashes that the round's descriptor
  // names, and may still be anything.
  virtual void start(wire::Bytes model, wire::Bytes frozen) = 0;
  // Returns the vector, or nullopt while it is not ready and if it cannot be computed.
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
