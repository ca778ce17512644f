// Makes the upload of a round from whatever a device has computed.
//
// A report and a dummy take the same work: the message is made and sealed for the aggregator each time, with
// fresh noise, and thrown away for a dummy. So neither the time that this takes nor a failure reveals the
// coin. An object belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "muster/randomizers/randomizer.h"
#include "muster/service/client/draws.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/payload.h"
#include "muster/wire/upload.h"

namespace muster::service {

class UploadMaker {
 public:
  explicit UploadMaker(const TaskDocument& task);

  wire::UploadSizes sizes() const { return {format_.size()}; }
  // Returns the sealed bytes of a report or a dummy. With the task's randomizer R, the report is R(vector),
  // or R(0) if there is no vector, or one of another dimension, or one that is not finite. Overwrites the
  // vector with zeros. Throws Error(data) if a key of the round is of low order, whatever the kind.
  wire::Buffer make(wire::UploadKind kind, const wire::RoundKeys& keys, const wire::Token& token,
                    std::optional<std::vector<float>> vector, Draws& draws);

 private:
  std::unique_ptr<randomizers::VectorRandomizer> randomizer_;
  std::unique_ptr<randomizers::Scratch> scratch_;
  wire::PayloadFormat format_;
};

}  // namespace muster::service
