#include "muster/wire/round_notice.h"

#include <string_view>

#include "muster/wire/upload.h"

namespace muster::wire {
namespace {

constexpr std::string_view kClose = "close issuance", kRelease = "release notice", kOver = "task over";

Buffer sign_notice(const RoundNotice& notice, std::string_view kind, const SigningKey& author) {
  FieldWriter fields(kRoundNotice);
  return with_signature(fields.integer(kWireVersion).bytes(notice.task).integer(notice.round).take(), kind,
                        author);
}

std::optional<RoundNotice> read_notice(Bytes bytes, std::string_view kind, const IdentityKey& author) {
  if (bytes.size() != kRoundNotice || !signature_holds(bytes, kind, author)) return std::nullopt;
  FieldReader fields(bytes);
  if (fields.integer<std::uint8_t>() != kWireVersion) return std::nullopt;
  RoundNotice notice;
  notice.task = fields.array<32>();
  notice.round = fields.integer<std::uint64_t>();
  return notice;
}

}  // namespace

Buffer sign_close_issuance(const RoundNotice& close, const SigningKey& shuffler) {
  return sign_notice(close, kClose, shuffler);
}
Buffer sign_release_notice(const RoundNotice& release, const SigningKey& shuffler) {
  return sign_notice(release, kRelease, shuffler);
}
Buffer sign_task_over(const RoundNotice& over, const SigningKey& aggregator) {
  return sign_notice(over, kOver, aggregator);
}

std::optional<RoundNotice> read_close_issuance(Bytes signed_close, const IdentityKey& shuffler) {
  return read_notice(signed_close, kClose, shuffler);
}
std::optional<RoundNotice> read_release_notice(Bytes signed_release, const IdentityKey& shuffler) {
  return read_notice(signed_release, kRelease, shuffler);
}
std::optional<RoundNotice> read_task_over(Bytes signed_over, const IdentityKey& aggregator) {
  return read_notice(signed_over, kOver, aggregator);
}

}  // namespace muster::wire
