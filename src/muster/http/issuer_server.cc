#include "muster/http/issuer_server.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/http/answers.h"
#include "muster/http/batch_queue.h"
#include "muster/http/http_server.h"
#include "muster/http/metrics.h"
#include "muster/http/serial_access.h"
#include "muster/http/ticker.h"
#include "muster/wire/issuance.h"
#include "muster/wire/round_notice.h"

namespace muster::service {
namespace {

using Reply = HttpServer::Reply;

// The longest block of requests (wire/issuance.h).
constexpr std::size_t kMaxBlock = 1 + 32 + 32 + 2 + wire::kMaxTokenBlock * (8 + wire::kTokenRequest) + 64;

// How long a request waits for others, so that all of them share one sync of the disk.
constexpr std::chrono::milliseconds kMoment{4};

struct Waiting {
  wire::Buffer block;
  Reply reply;
};

std::optional<std::size_t> body_limit(std::string_view method, std::string_view target) {
  if (method == "GET" && (target == "/v1/keys" || target == "/healthz" || target == "/metrics")) return 0;
  if (method == "POST" && target == "/v1/tokens") return kMaxBlock;
  if (method == "POST" && (target == "/v1/close" || target == "/v1/release")) return wire::kRoundNotice;
  return std::nullopt;
}

// The metrics say nothing that is not in the key directory, which anybody may fetch.
std::string metrics_of(const wire::KeyDirectory& directory, std::uint64_t closed) {
  std::uint64_t ahead = 0;
  double of_closed = 0, of_next = 0;
  for (const wire::KeyDirectory::Entry& entry : directory.entries) {
    if (entry.round > closed) ++ahead;
    if (entry.round == closed) of_closed = static_cast<double>(entry.issued);
    if (entry.round == closed + 1) of_next = static_cast<double>(entry.issued);
  }
  return Metrics()
      .gauge("muster_issuer_enrolled_devices", "Devices that are enrolled.",
             static_cast<double>(directory.enrolled))
      .counter("muster_issuer_rounds_closed_total", "Rounds whose issuance is over.",
               static_cast<double>(closed))
      .gauge("muster_issuer_keys_ahead", "Rounds to come whose token keys are made.",
             static_cast<double>(ahead))
      .gauge("muster_issuer_tokens_issued", "Tokens of the round closed last, and of the next one so far.",
             "round", {{"closed", of_closed}, {"next", of_next}})
      .text();
}

}  // namespace

struct IssuerServer::State {
  State(Issuer& the_issuer, const IssuerServerOptions& options);
  void serve(HttpRequest request, const Reply& reply);
  void answer(std::vector<Waiting> taken);

  Issuer& issuer;
  SerialAccess access;
  // The listener is destroyed first. While it waits for the answers to its last requests, the queue and the
  // ticker still have to work.
  std::unique_ptr<BatchQueue<Waiting>> blocks;
  std::unique_ptr<Ticker> ticker;
  std::unique_ptr<HttpServer> listener;
};

IssuerServer::State::State(Issuer& the_issuer, const IssuerServerOptions& options) : issuer(the_issuer) {
  blocks = std::make_unique<BatchQueue<Waiting>>(
      options.queue, kMoment, [this](std::vector<Waiting> taken) { answer(std::move(taken)); });
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
    } else if (request.target == "/metrics") {
      response = text_response(Metrics::kType, metrics_of(issuer.directory(), issuer.closed()));
    } else if (request.method == "GET") {
      response = {.body = issuer.keys()};
    } else {
      auto directory = request.target == "/v1/close" ? issuer.close_issuance(request.body)
                                                     : issuer.note_release(request.body);
      response = directory ? HttpResponse{.body = *std::move(directory)} : HttpResponse{.status = 409};
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
