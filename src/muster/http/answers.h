// The answers of ports.h as HTTP's status codes, in both directions. The functions are pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "muster/http/http_server.h"
#include "muster/service/ports/ports.h"

namespace muster::service {

// Status 201, 400, 410 or 503, without a body. An answer of 503 has a Retry-After that is always the same.
HttpResponse response_to(Answer answer);
// Returns nullopt for any other status.
std::optional<Answer> answer_of_status(long status);
// What to throw at a status that is no answer to the question that was asked.
Unreachable unexpected(long status);

// Status 200 with this text, which caches are told not to keep.
HttpResponse text_response(const std::string& type, std::string_view text);

}  // namespace muster::service
