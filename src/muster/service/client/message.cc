#include "muster/service/client/message.h"

#include <sodium.h>

#include <algorithm>
#include <utility>

#include "muster/randomizers/clip.h"
#include "muster/service/model/record_shape.h"

namespace muster::service {

MessageMaker::MessageMaker(const TaskDocument& task)
    : randomizer_(randomizer_of(task)), scratch_(randomizer_->make_scratch()), format_(*randomizer_) {}

wire::Buffer MessageMaker::payload_of(std::vector<float> vector, std::uint64_t round, Draws& draws) {
  if (vector.size() != randomizer_->dimension() || !randomizers::is_finite(vector)) {
    vector.assign(randomizer_->dimension(), 0.0F);
  }
  randomizers::Message message;
  randomizer_->randomize(vector, draws.message_key(), round, draws.client(), *scratch_, message);
  sodium_memzero(vector.data(), vector.size() * sizeof(float));
  wire::Buffer payload(format_.size());
  format_.encode(message, payload);
  return payload;
}

wire::Buffer MessageMaker::make(wire::UploadKind kind, const wire::RoundKeys& keys, const wire::Token& token,
                                std::optional<std::vector<float>> vector, Draws& draws) {
  wire::Buffer payload = payload_of(std::move(vector).value_or(std::vector<float>()), keys.round, draws);
  wire::Buffer report = wire::seal_report(keys, token, payload);
  wire::Buffer dummy = wire::seal_dummy(keys, token, sizes());
  sodium_memzero(payload.data(), payload.size());
  if (kind == wire::UploadKind::dummy) std::swap(report, dummy);
  sodium_memzero(dummy.data(), dummy.size());
  return report;
}

}  // namespace muster::service
