// The issuer, reached by HTTP. It offers what devices and the shuffler ask of an issuer (ports.h). An answer
// that the issuer's server (issuer_server.h) never gives counts as if the server had not been reached. An
// object belongs to one thread.
#pragma once

#include <optional>
#include <string>

#include "muster/http/http_client.h"
#include "muster/service/ports/ports.h"

namespace muster::service {

class RemoteIssuer final : public IssuerForDevices, public IssuerForShuffler {
 public:
  // No request takes longer than `timeout_seconds`.
  RemoteIssuer(const std::string& url, const std::string& ca, unsigned timeout_seconds = 30)
      : client_(url, ca, timeout_seconds) {}

  wire::Buffer keys() override;
  Tokens tokens(wire::Bytes signed_block) override;
  std::optional<wire::Buffer> close_issuance(wire::Bytes signed_close) override;
  std::optional<wire::Buffer> note_release(wire::Bytes signed_notice) override;

 private:
  std::optional<wire::Buffer> notify(const char* path, wire::Bytes notice);

  HttpClient client_;
};

}  // namespace muster::service
