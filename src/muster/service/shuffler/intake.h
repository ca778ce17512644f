// Checks the uploads of one open round: the outer layer, and the token. This is nearly all the work that an
// upload costs, so it stands apart from everything that must be done in order. An Intake is immutable and may
// be used from any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "muster/wire/blind_rsa.h"
#include "muster/wire/bytes.h"
#include "muster/wire/hpke.h"
#include "muster/wire/manifest.h"
#include "muster/wire/upload.h"

namespace muster::service {

class Intake {
 public:
  // `key` is the shuffler's of this round, `descriptor` the hash of the round's descriptor.
  Intake(wire::HpkeKeyPair key, const wire::Hash& task, std::uint64_t round, const wire::Hash& descriptor,
         wire::RsaPublicKey token_key, wire::UploadSizes sizes);

  std::uint64_t round() const { return round_; }
  const wire::Hash& descriptor() const { return descriptor_; }
  wire::UploadSizes sizes() const { return sizes_; }

  // Opens any bytes as an upload of the round, and verifies its token. Returns why they are refused; if they
  // are not, returns nullopt and writes the upload to `opened`. The function does not know whether the token
  // was spent before.
  std::optional<wire::Rejected> check(wire::Bytes upload, wire::OpenedUpload& opened) const;
  // Does the same without verifying the token, for uploads that were checked before they were stored.
  std::optional<wire::Rejected> open(wire::Bytes upload, wire::OpenedUpload& opened) const;

 private:
  wire::HpkeKeyPair key_;
  std::uint64_t round_;
  wire::Hash descriptor_, challenge_;
  wire::RsaPublicKey token_key_;
  wire::UploadSizes sizes_;
};

// Whether the bytes have the length of an upload and name a round before this one: then they are late,
// whatever else they are.
bool is_of_a_round_before(std::uint64_t round, wire::UploadSizes sizes, wire::Bytes upload);

}  // namespace muster::service
