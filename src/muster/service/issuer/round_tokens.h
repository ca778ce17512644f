// One round whose tokens are still issued: its key, and which device has got a token for which request.
//
// Each answered request is a record of the round's log:
//
//     record = device 32 | BLAKE2b-256 of the request 32
//
// In memory every enrolled device takes 32 bytes, up to the last one that asked. A round belongs to one
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "muster/service/issuer/enrolment.h"
#include "muster/service/store/log.h"
#include "muster/wire/blind_rsa.h"
#include "muster/wire/token.h"

namespace muster::service {

class RoundTokens {
 public:
  static constexpr std::size_t kWidth = 32 + 32;  // bytes of a record

  // Reads the log. Throws Error(file), with `origin` for its key, if a device of the log is not enrolled or
  // comes twice.
  RoundTokens(wire::RsaSecretKey key, std::unique_ptr<Log> log, const Enrolment& enrolment,
              const std::string& origin);

  const wire::RsaSecretKey& key() const { return key_; }
  // Devices that have a token, those included that are not durable yet.
  std::uint64_t issued() const { return log_->size(); }
  // Whether the device with this number has asked before: for a token of this request, or of another one.
  enum class Before { never, the_same, another };
  Before asked(std::uint32_t device, const wire::TokenRequest& request) const;
  // Notes the request of a device that never asked before.
  void note(std::uint32_t number, const wire::IdentityKey& device, const wire::TokenRequest& request);
  // Makes durable what was noted.
  void sync();

 private:
  bool has_asked(std::uint32_t device) const;
  void remember(std::uint32_t device, const wire::Hash& request);

  wire::RsaSecretKey key_;
  std::unique_ptr<Log> log_;
  std::vector<wire::Hash> requests_;  // by the devices' numbers; zero for a device that has no token
  bool synced_ = true;
};

}  // namespace muster::service
