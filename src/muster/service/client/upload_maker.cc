#include "muster/service/client/upload_maker.h"

#include <sodium.h>

#include <utility>

#include "muster/service/model/record_shape.h"

namespace muster::service {

UploadMaker::UploadMaker(const TaskDocument& task)
    : randomizer_(randomizer_of(task)), scratch_(randomizer_->make_scratch()), format_(*randomizer_) {}

wire::Buffer UploadMaker::make(wire::UploadKind kind, const wire::RoundKeys& keys, const wire::Token& token,
                               std::optional<std::vector<float>> vector, Draws& draws) {
  wire::Buffer payload = wire::randomized_payload(*randomizer_, *scratch_, format_,
                                                  std::move(vector).value_or(std::vector<float>()),
                                                  draws.message_key(), keys.round, draws.client());
  wire::Buffer report = wire::seal_report(keys, token, payload);
  wire::Buffer dummy = wire::seal_dummy(keys, token, sizes());
  sodium_memzero(payload.data(), payload.size());
  if (kind == wire::UploadKind::dummy) std::swap(report, dummy);
  sodium_memzero(dummy.data(), dummy.size());
  return report;
}

}  // namespace muster::service
