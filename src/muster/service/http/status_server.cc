#include "muster/service/http/status_server.h"

#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "muster/service/http/http_server.h"
#include "muster/wire/bytes.h"

namespace muster::service {
namespace {

constexpr std::size_t kConnections = 256;

HttpResponse page(std::string type, std::string_view text) {
  const wire::Bytes bytes = wire::bytes_of(text);
  return {.type = std::move(type),
          .body = {bytes.begin(), bytes.end()},
          .headers = {{"Cache-Control", "no-store"}}};
}

}  // namespace

struct StatusServer::State {
  HttpResponse answer(std::string_view target) {
    const std::lock_guard lock(mutex);
    if (json.empty()) return {.status = 503};
    if (target == "/status") return page("application/json", json);
    return page("text/plain; charset=utf-8", target == "/healthz" ? "ok\n" : words);
  }

  std::mutex mutex;
  std::string json, words;
  std::unique_ptr<HttpServer> listener;  // last: it uses the others
};

StatusServer::StatusServer(const ListenAddress& listen) : state_(std::make_unique<State>()) {
  state_->listener = std::make_unique<HttpServer>(
      listen.address, listen.port, 1, HttpLimits{.connections = kConnections},
      [](std::string_view method, std::string_view target) -> std::optional<std::size_t> {
        const bool is_known = target == "/healthz" || target == "/status" || target == "/status.txt";
        return method == "GET" && is_known ? std::optional<std::size_t>(0) : std::nullopt;
      },
      [state = state_.get()](const HttpRequest& request, const HttpServer::Reply& reply) {
        reply(state->answer(request.target));
      });
}
StatusServer::~StatusServer() = default;

std::uint16_t StatusServer::port() const { return state_->listener->port(); }

void StatusServer::show(std::string json, std::string words) {
  const std::lock_guard lock(state_->mutex);
  state_->json = std::move(json);
  state_->words = std::move(words);
}

}  // namespace muster::service
