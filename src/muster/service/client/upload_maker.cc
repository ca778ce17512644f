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
  wire::Buffer upload = wire::seal_upload(keys, kind, token, payload);
  sodium_memzero(payload.data(), payload.size());
  return upload;
}

}  // namespace muster::service
