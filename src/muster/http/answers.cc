#include "muster/http/answers.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "muster/wire/bytes.h"

namespace muster::service {
namespace {

constexpr const char* kRetryAfter = "5";  // seconds
constexpr std::array<std::pair<Answer, unsigned>, 4> kStatuses{
    {{Answer::stored, 201}, {Answer::refused, 400}, {Answer::over, 410}, {Answer::busy, 503}}};

}  // namespace

HttpResponse response_to(Answer answer) {
  HttpResponse response;
  for (const auto& [known, status] : kStatuses) {
    if (known == answer) response.status = status;
  }
  if (answer == Answer::busy) response.headers.emplace_back("Retry-After", kRetryAfter);
  return response;
}

std::optional<Answer> answer_of_status(long status) {
  for (const auto& [answer, known] : kStatuses) {
    if (known == status) return answer;
  }
  return std::nullopt;
}

Unreachable unexpected(long status) { return Unreachable(fmt::format("it answers with status {}", status)); }

HttpResponse text_response(const std::string& type, std::string_view text) {
  const wire::Bytes bytes = wire::bytes_of(text);
  return {.type = type, .body = {bytes.begin(), bytes.end()}, .headers = {{"Cache-Control", "no-store"}}};
}

}  // namespace muster::service
