#include "muster/http/status_server.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "muster/http/answers.h"
#include "muster/http/content_policy.h"
#include "muster/http/http_server.h"
#include "muster/http/metrics.h"

namespace muster::service {
namespace {

constexpr std::size_t kConnections = 256;
constexpr std::array<std::string_view, 5> kPaths = {"/", "/healthz", "/metrics", "/status", "/status.txt"};

}  // namespace

struct StatusServer::State {
  HttpResponse answer(std::string_view target) {
    const std::lock_guard lock(mutex);
    if (told.json.empty()) return {.status = 503};
    if (target == "/") return page();
    if (target == "/metrics") return text_response(Metrics::kType, told.metrics);
    if (target == "/status") return text_response("application/json", told.json);
    return text_response("text/plain; charset=utf-8", target == "/healthz" ? "ok\n" : told.words);
  }
  HttpResponse page() const {
    HttpResponse response = text_response("text/html; charset=utf-8", told.page);
    response.headers.emplace_back("Content-Security-Policy", policy);
    response.headers.emplace_back("Referrer-Policy", "no-referrer");
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    return response;
  }

  std::mutex mutex;
  Told told;
  std::string policy;
  std::unique_ptr<HttpServer> listener;  // the last member, because its threads use the others
};

StatusServer::StatusServer(const ListenAddress& listen, std::string_view style)
    : state_(std::make_unique<State>()) {
  state_->policy = content_policy(style);
  state_->listener = std::make_unique<HttpServer>(
      listen.address, listen.port, 1, HttpLimits{.connections = kConnections},
      [](std::string_view method, std::string_view target) -> std::optional<std::size_t> {
        const bool is_known = std::ranges::find(kPaths, target) != kPaths.end();
        return method == "GET" && is_known ? std::optional<std::size_t>(0) : std::nullopt;
      },
      [state = state_.get()](const HttpRequest& request, const HttpServer::Reply& reply) {
        reply(state->answer(request.target));
      });
}
StatusServer::~StatusServer() = default;

std::uint16_t StatusServer::port() const { return state_->listener->port(); }

void StatusServer::show(Told told) {
  const std::lock_guard lock(state_->mutex);
  state_->told = std::move(told);
}

}  // namespace muster::service
