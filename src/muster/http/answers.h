// The answers of ports.h as HTTP's status codes, in both directions. The functions are pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "muster/http/http_server.h"
#include "muster/service/ports/ports.h"

namespace muster::service {

// 201, 400, 410, or 503 with a constant Retry-After; without a body.
HttpResponse response_to(Answer answer);
// Nullopt for any other status.
std::optional<Answer> answer_of_status(long status);

// 200, with a text that no cache keeps.
HttpResponse text_response(const std::string& type, std::string_view text);

}  // namespace muster::service
