#include "muster/service/shuffler/intake.h"

#include <utility>

#include "muster/wire/token.h"

namespace muster::service {

using wire::Rejected;
using wire::UploadFault;

Intake::Intake(wire::HpkeKeyPair key, const wire::Hash& task, std::uint64_t round,
               const wire::Hash& descriptor, wire::RsaPublicKey token_key, wire::UploadSizes sizes)
    : key_(std::move(key)),
      round_(round),
      descriptor_(descriptor),
      challenge_(wire::round_challenge_digest(task, round)),
      token_key_(std::move(token_key)),
      sizes_(sizes) {}

std::optional<Rejected> Intake::open(wire::Bytes upload, wire::OpenedUpload& opened) const {
  switch (wire::open_upload(key_, round_, descriptor_, sizes_, upload, opened)) {
    case UploadFault::none:
      return std::nullopt;
    case UploadFault::length:
      return Rejected::length;
    case UploadFault::version:
      return Rejected::version;
    case UploadFault::round:
      return Rejected::late;
    case UploadFault::layer:
    case UploadFault::kind:
      return Rejected::layer;
  }
  return Rejected::layer;
}

std::optional<Rejected> Intake::check(wire::Bytes upload, wire::OpenedUpload& opened) const {
  if (const auto rejected = open(upload, opened)) return rejected;
  return wire::verify_token(token_key_, challenge_, opened.token) ? std::nullopt
                                                                  : std::optional(Rejected::token);
}

bool is_of_a_round_before(std::uint64_t round, wire::UploadSizes sizes, wire::Bytes upload) {
  if (upload.size() != sizes.upload()) return false;
  wire::FieldReader fields(upload);
  return fields.integer<std::uint8_t>() == wire::kWireVersion && fields.integer<std::uint64_t>() < round;
}

}  // namespace muster::service
