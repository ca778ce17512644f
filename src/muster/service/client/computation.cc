#include "muster/service/client/computation.h"

#include <sodium.h>

#include <exception>
#include <utility>

#include "muster/service/model/device_function.h"
#include "muster/service/model/model_blob.h"

namespace muster::service {

SynchronousComputation::SynchronousComputation(const TaskDocument& task,
                                               std::function<learning::Dataset()> record)
    : task_(task), record_(std::move(record)) {}

void SynchronousComputation::start(wire::Bytes model, wire::Bytes frozen) {
  stop();
  try {
    const std::optional<std::vector<float>> parameters = decode_model(model, dimension_of(task_));
    if (!parameters) return;
    const DeviceFunction function(task_, frozen.empty() ? std::nullopt : decode_frozen(frozen));
    result_ = function.evaluate(*parameters, record_());
  } catch (const std::exception&) {
    // Why it failed may depend on the record, so nobody is told.
    stop();
  }
}

void SynchronousComputation::stop() noexcept {
  if (result_) sodium_memzero(result_->data(), result_->size() * sizeof(float));
  result_.reset();
}

}  // namespace muster::service
