// This target opens uploads. An input is read twice: as the bytes that arrive, and as the plain text that a
// device seals. The first reading succeeds only for uploads that somebody sealed for the key.
#include <algorithm>
#include <cstdlib>
#include <span>

#include "muster/wire/upload.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/wire_secrets.h"

namespace muster::fuzz {

bool accepts(Input input) {
  static const wire::HpkeKeyPair shuffler = key_of(0x11), aggregator = key_of(0x22);
  static const wire::HpkeInfo info("muster v1 shuffler");
  constexpr wire::UploadSizes kSizes{17};
  constexpr std::uint64_t kRound = 7;
  const wire::Hash descriptor{};
  wire::OpenedUpload opened{};
  const bool arrived =
      wire::open_upload(shuffler, kRound, descriptor, kSizes, input, opened) == wire::UploadFault::none;

  wire::Buffer plain(kSizes.outer_plain());
  std::copy_n(input.begin(), std::min(input.size(), plain.size()), plain.begin());
  wire::Buffer upload = wire::FieldWriter(9).integer(wire::kWireVersion).integer(kRound).take();
  wire::Buffer aad = upload;
  aad.insert(aad.end(), descriptor.begin(), descriptor.end());
  upload.resize(kSizes.upload());
  wire::seal_with(key_of(0x66), shuffler.public_key(), info, aad, plain, std::span(upload).subspan(9));
  const auto fault = wire::open_upload(shuffler, kRound, descriptor, kSizes, upload, opened);
  if (fault != (plain[0] <= 1 ? wire::UploadFault::none : wire::UploadFault::kind)) std::abort();
  wire::Buffer payload(17);
  if (fault == wire::UploadFault::none) wire::open_inner(aggregator, descriptor, opened.inner, payload);
  return arrived;
}

}  // namespace muster::fuzz
