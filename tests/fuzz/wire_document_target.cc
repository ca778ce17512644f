// This target reads the signed documents. The first byte of an input says which one; the rest is read twice,
// as the document and as a body that its author signs. A document that is read must be written in the same
// bytes.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "muster/wire/descriptor.h"
#include "muster/wire/issuance.h"
#include "muster/wire/key_directory.h"
#include "muster/wire/manifest.h"
#include "muster/wire/offer.h"
#include "muster/wire/receipt.h"
#include "muster/wire/round_notice.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/wire_secrets.h"

namespace muster::fuzz {
namespace {

// Returns whether `read` reads the document. `write` must then write it in the same bytes.
template <typename Read, typename Write>
bool read_as_written(wire::Bytes document, const Read& read, const Write& write) {
  const auto value = read(document);
  if (value && !std::ranges::equal(write(*value), document)) std::abort();
  return value.has_value();
}

// Reads the input as a document, and as a body to which its author's signature is added. Returns whether the
// document is valid.
template <typename Read, typename Write>
bool read_twice(Input input, const char* kind, const wire::SigningKey& author, const Read& read,
                const Write& write) {
  read_as_written(wire::with_signature({input.begin(), input.end()}, kind, author), read, write);
  return read_as_written(input, read, write);
}

template <typename Read, typename Sign>
bool read_notice(Input input, const char* kind, const wire::SigningKey& author, const Read& read,
                 const Sign& sign) {
  return read_twice(
      input, kind, author, [&](wire::Bytes b) { return read(b, author.identity()); },
      [&](const wire::RoundNotice& n) { return sign(n, author); });
}

}  // namespace

bool accepts(Input input) {
  static const wire::SigningKey aggregator = signing_key_of(0x33), shuffler = signing_key_of(0x44),
                                issuer = signing_key_of(0x55), device = signing_key_of(0x77);
  if (input.empty()) return false;
  const std::uint8_t kind = input[0];
  input = input.subspan(1);
  switch (kind) {
    case 0:
      return read_twice(
          input, "countersigned descriptor", shuffler,
          [](wire::Bytes b) { return wire::read_descriptor(b, aggregator.identity(), shuffler.identity()); },
          [](const wire::Descriptor& d) {
            return *wire::countersign_descriptor(wire::sign_descriptor(d, aggregator), aggregator.identity(),
                                                 shuffler);
          });
    case 1:
      return read_twice(
          input, "descriptor", aggregator,
          [](wire::Bytes b) { return wire::read_offered_descriptor(b, aggregator.identity()); },
          [](const wire::Descriptor& d) { return wire::sign_descriptor(d, aggregator); });
    case 2:
      return read_twice(
          input, "manifest", shuffler,
          [](wire::Bytes b) { return wire::read_manifest(b, shuffler.identity()); },
          [](const wire::Manifest& m) { return wire::sign_manifest(m, shuffler); });
    case 3:
      return read_twice(
          input, "receipt", aggregator,
          [](wire::Bytes b) { return wire::read_receipt(b, aggregator.identity()); },
          [](const wire::Receipt& r) { return wire::sign_receipt(r, aggregator); });
    case 4:
      return read_twice(
          input, "key directory", issuer,
          [](wire::Bytes b) { return wire::read_key_directory(b, issuer.identity()); },
          [](const wire::KeyDirectory& d) { return wire::sign_key_directory(d, issuer); });
    case 5:
      return read_twice(
          input, "token block", device,
          [](wire::Bytes b) {
            // A block names the key that signed it. Only blocks of `device` can be signed again.
            auto block = wire::read_token_block(b);
            return block && block->device == device.identity() ? block : std::nullopt;
          },
          [](const wire::TokenBlock& b) { return wire::sign_token_block(b, device); });
    case 6:
      return read_notice(input, "close issuance", shuffler, wire::read_close_issuance,
                         wire::sign_close_issuance);
    case 7:
      return read_twice(
          input, "offer", shuffler, [](wire::Bytes b) { return wire::read_offer(b, shuffler.identity()); },
          [](const wire::Offer& o) { return wire::sign_offer(o, shuffler); });
    case 8:
      return read_notice(input, "release notice", shuffler, wire::read_release_notice,
                         wire::sign_release_notice);
    case 9:
      return read_notice(input, "task over", aggregator, wire::read_task_over, wire::sign_task_over);
    default:
      return false;
  }
}

}  // namespace muster::fuzz
