#include "muster/wire/upload.h"

#include <sodium.h>

#include <algorithm>
#include <utility>

#include "muster/random/os_bytes.h"

namespace muster::wire {
namespace {

const HpkeInfo& for_shuffler() {
  static const HpkeInfo info("muster v1 shuffler");
  return info;
}
const HpkeInfo& for_aggregator() {
  static const HpkeInfo info("muster v1 aggregator");
  return info;
}

Buffer header(std::uint64_t round) {
  return FieldWriter(kUploadHeader).integer(kWireVersion).integer(round).take();
}

// What the outer layer is bound to.
Buffer bound(Bytes header, const Hash& descriptor) {
  return FieldWriter(header.size() + descriptor.size()).bytes(header).bytes(descriptor).take();
}

Buffer sealed_upload(const RoundKeys& keys, UploadKind kind, const Token& token, Bytes inner) {
  Buffer plain = FieldWriter(1 + kToken + inner.size())
                     .integer(static_cast<std::uint8_t>(kind))
                     .bytes(token)
                     .bytes(inner)
                     .take();
  Buffer upload = header(keys.round);
  const Buffer aad = bound(upload, keys.descriptor);
  upload.resize(kUploadHeader + plain.size() + kSealing);
  seal(keys.shuffler, for_shuffler(), aad, plain, std::span(upload).subspan(kUploadHeader));
  sodium_memzero(plain.data(), plain.size());
  return upload;
}

}  // namespace

Buffer seal_upload(const RoundKeys& keys, UploadKind kind, const Token& token, Bytes payload) {
  Buffer inner(UploadSizes{payload.size()}.inner()), filler(inner.size());
  seal(keys.aggregator, for_aggregator(), keys.descriptor, payload, inner);
  random::fill_from_os(filler);
  if (kind == UploadKind::dummy) std::swap(inner, filler);
  sodium_memzero(filler.data(), filler.size());
  return sealed_upload(keys, kind, token, inner);
}

Buffer seal_report(const RoundKeys& keys, const Token& token, Bytes payload) {
  return seal_upload(keys, UploadKind::report, token, payload);
}

Buffer seal_dummy(const RoundKeys& keys, const Token& token, UploadSizes sizes) {
  Buffer inner(sizes.inner());
  random::fill_from_os(inner);
  return sealed_upload(keys, UploadKind::dummy, token, inner);
}

UploadFault open_upload(const HpkeKeyPair& shuffler, std::uint64_t round, const Hash& descriptor,
                        UploadSizes sizes, Bytes upload, OpenedUpload& opened) {
  if (upload.size() != sizes.upload()) return UploadFault::length;
  const Bytes head = upload.first(kUploadHeader);
  FieldReader fields(head);
  if (fields.integer<std::uint8_t>() != kWireVersion) return UploadFault::version;
  if (fields.integer<std::uint64_t>() != round) return UploadFault::round;
  Buffer plain(sizes.outer_plain());
  if (!open(shuffler, for_shuffler(), bound(head, descriptor), upload.subspan(kUploadHeader), plain)) {
    return UploadFault::layer;
  }
  FieldReader inside(plain);
  const auto kind = inside.integer<std::uint8_t>();
  if (kind > 1) return UploadFault::kind;
  opened.kind = static_cast<UploadKind>(kind);
  opened.token = inside.array<kToken>();
  opened.inner.assign(inside.rest().begin(), inside.rest().end());
  return UploadFault::none;
}

bool open_inner(const HpkeKeyPair& aggregator, const Hash& descriptor, Bytes inner,
                std::span<std::uint8_t> payload) {
  return open(aggregator, for_aggregator(), descriptor, inner, payload);
}

}  // namespace muster::wire
