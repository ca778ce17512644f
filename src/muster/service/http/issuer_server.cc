#include "muster/service/http/issuer_server.h"

#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/service/http/answers.h"
#include "muster/service/http/batch_queue.h"
#include "muster/service/http/http_server.h"
#include "muster/service/http/serial_access.h"
#include "muster/service/http/ticker.h"
#include "muster/wire/issuance.h"

namespace muster::service {
namespace {

using Reply = HttpServer::Reply;

// The longest block of requests (wire/issuance.h).
constexpr std::size_t kMaxBlock = 1 + 32 + 32 + 2 + wire::kMaxTokenBlock * (8 + wire::kTokenRequest) + 64;

struct Waiting {
  wire::Buffer block;
  Reply reply;
};

std::optional<std::size_t> body_limit(std::string_view method, std::string_view target) {
  if (method == "GET" && (target == "/v1/keys" || target == "/healthz")) return 0;
  if (method == "POST" && target == "/v1/tokens") return kMaxBlock;
  if (method == "POST" && target == "/v1/close") return wire::kCloseIssuance;
  return std::nullopt;
}

}  // namespace

struct IssuerServer::State {
  State(Issuer& the_issuer, const IssuerServerOptions& options);
  void serve(HttpRequest request, const Reply& reply);
  void answer(std::vector<Waiting> taken);

  Issuer& issuer;
  SerialAccess access;
  // The listener ends before the queue and the ticker, which answer what the listener owes.
  std::unique_ptr<BatchQueue<Waiting>> blocks;
  std::unique_ptr<Ticker> ticker;
  std::unique_ptr<HttpServer> listener;
};

IssuerServer::State::State(Issuer& the_issuer, const IssuerServerOptions& options) : issuer(the_issuer) {
  blocks = std::make_unique<BatchQueue<Waiting>>(
      options.queue, [this](std::vector<Waiting> taken) { answer(std::move(taken)); });
  ticker = std::make_unique<Ticker>(options.publish, [this, ahead = options.rounds_ahead] {
    access.alone([&] {
      issuer.prepare(ahead);
      issuer.publish();
    });
  });
  listener = std::make_unique<HttpServer>(
      options.listen.address, options.listen.port, options.threads,
      HttpLimits{.connections = options.connections}, body_limit,
      [this](HttpRequest request, const Reply& reply) { serve(std::move(request), reply); });
}

void IssuerServer::State::serve(HttpRequest request, const Reply& reply) {
  if (request.target == "/v1/tokens") {
    if (!blocks->put({std::move(request.body), reply})) reply(response_to(Answer::busy));
    return;
  }
  HttpResponse response;
  const bool answered = access.alone([&] {
    if (request.target == "/healthz") {
      response = {.status = 200};
    } else if (request.method == "GET") {
      response = {.body = issuer.keys()};
    } else if (auto closed = issuer.close_issuance(request.body)) {
      response = {.body = *std::move(closed)};
    } else {
      response = {.status = 409};
    }
  });
  if (answered) reply(std::move(response));
}

void IssuerServer::State::answer(std::vector<Waiting> taken) {
  std::vector<HttpResponse> responses;
  const bool is_durable = access.alone([&] {
    for (const Waiting& one : taken) {
      IssuerForDevices::Tokens tokens = issuer.take(one.block);
      responses.push_back(response_to(tokens.answer));
      responses.back().body = std::move(tokens.responses);
    }
    issuer.sync();
  });
  for (std::size_t i = 0; is_durable && i < taken.size(); ++i) taken[i].reply(std::move(responses[i]));
}

IssuerServer::IssuerServer(Issuer& issuer, const IssuerServerOptions& options)
    : state_(std::make_unique<State>(issuer, options)) {}
IssuerServer::~IssuerServer() = default;

std::uint16_t IssuerServer::port() const { return state_->listener->port(); }
wire::Buffer IssuerServer::keys() {
  wire::Buffer keys;
  state_->access.alone([&] { keys = state_->issuer.keys(); });
  return keys;
}
void IssuerServer::wait(unsigned milliseconds) { state_->access.wait(milliseconds); }

}  // namespace muster::service
