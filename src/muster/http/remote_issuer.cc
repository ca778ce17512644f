#include "muster/http/remote_issuer.h"

#include <utility>

#include "muster/http/answers.h"
#include "muster/wire/issuance.h"
#include "muster/wire/round_notice.h"

namespace muster::service {
namespace {

constexpr std::size_t kMaxDirectory = std::size_t{1} << 20,
                      kMaxResponses = wire::kMaxTokenBlock * wire::kTokenResponse;

}  // namespace

wire::Buffer RemoteIssuer::keys() {
  HttpClient::Answer answer = client_.get("/v1/keys", kMaxDirectory);
  if (answer.status != 200) throw unexpected(answer.status);
  return std::move(answer.body);
}

IssuerForDevices::Tokens RemoteIssuer::tokens(wire::Bytes signed_block) {
  HttpClient::Answer answer = client_.post("/v1/tokens", signed_block, kMaxResponses);
  const auto known = answer_of_status(answer.status);
  if (!known) throw unexpected(answer.status);
  return {*known, std::move(answer.body)};
}

std::optional<wire::Buffer> RemoteIssuer::close_issuance(wire::Bytes signed_close) {
  return notify("/v1/close", signed_close);
}

std::optional<wire::Buffer> RemoteIssuer::note_release(wire::Bytes signed_notice) {
  return notify("/v1/release", signed_notice);
}

std::optional<wire::Buffer> RemoteIssuer::notify(const char* path, wire::Bytes notice) {
  HttpClient::Answer answer = client_.post(path, notice, kMaxDirectory);
  if (answer.status == 409) return std::nullopt;
  if (answer.status != 200) throw unexpected(answer.status);
  return std::move(answer.body);
}

}  // namespace muster::service
