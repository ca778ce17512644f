#include "muster/http/shuffler_server.h"

#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "muster/http/answers.h"
#include "muster/http/batch_queue.h"
#include "muster/http/http_server.h"
#include "muster/http/metrics.h"
#include "muster/http/open_request.h"
#include "muster/http/serial_access.h"
#include "muster/http/ticker.h"
#include "muster/http/upload_counts.h"
#include "muster/service/model/model_blob.h"
#include "muster/wire/hex.h"
#include "muster/wire/receipt.h"
#include "muster/wire/round_notice.h"

namespace muster::service {
namespace {

using wire::Buffer;
using Reply = HttpServer::Reply;

// A piece of a batch is at most about this long.
constexpr std::size_t kMaxPiece = std::size_t{64} << 20;
constexpr std::chrono::milliseconds kTick{100};  // between two looks at the time
// A look may wait for the issuer, and everybody else waits meanwhile. So they have twice the time after it.
constexpr unsigned kRest = 2;
// How long an upload waits for others, so that all of them share one sync of the disk.
constexpr std::chrono::milliseconds kMoment{4};

HttpResponse found(std::optional<Buffer> body) {
  return body ? HttpResponse{.body = *std::move(body)} : HttpResponse{.status = 404};
}

// Returns the integers, separated by slashes, that follow the prefix; nullopt unless there are exactly
// `how_many`.
std::optional<std::vector<std::uint64_t>> numbers_after(std::string_view target, std::string_view prefix,
                                                        std::size_t how_many) {
  if (!target.starts_with(prefix)) return std::nullopt;
  target.remove_prefix(prefix.size());
  std::vector<std::uint64_t> numbers;
  while (numbers.size() < how_many) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), number);
    if (error != std::errc()) return std::nullopt;
    target.remove_prefix(static_cast<std::size_t>(end - target.data()));
    numbers.push_back(number);
    if (numbers.size() == how_many) break;
    if (!target.starts_with('/')) return std::nullopt;
    target.remove_prefix(1);
  }
  return target.empty() ? std::optional(numbers) : std::nullopt;
}

// What devices and the aggregator are shown of the open round, made once when it opens.
struct Published {
  std::shared_ptr<const Intake> intake;
  Buffer descriptor, offer;
  std::int64_t ends_at = 0;             // on the steady clock
  std::map<std::string, Buffer> blobs;  // by their paths
};

// An upload that was checked and waits for the disk.
struct Waiting {
  std::shared_ptr<const Intake> intake;
  Buffer upload;
  std::optional<wire::Rejected> rejected;
  wire::OpenedUpload opened;
  Reply reply;
};

// Rounds that were closed since the start, and what their manifests counted.
struct RoundCounts {
  std::uint64_t released = 0, destroyed = 0;
  std::array<std::uint64_t, wire::kRejectReasons> rejected{};

  void add(const wire::Manifest& manifest) {
    ++(manifest.outcome == wire::Manifest::Outcome::released ? released : destroyed);
    for (std::size_t i = 0; i < rejected.size(); ++i) rejected[i] += manifest.rejected[i];
  }
};

Metrics::Samples samples_of(const UploadCounts::Counts& counts) {
  Metrics::Samples samples;
  for (const auto& [answer, count] : {std::pair{Answer::stored, counts.stored},
                                      {Answer::refused, counts.refused},
                                      {Answer::over, counts.over},
                                      {Answer::busy, counts.busy}}) {
    samples.emplace_back(std::to_string(response_to(answer).status), static_cast<double>(count));
  }
  return samples;
}

}  // namespace

struct ShufflerServer::State {
  State(Shuffler& the_shuffler, Clock& the_clock, const ShufflerServerOptions& options);

  void serve_device(HttpRequest request, const Reply& reply);
  void serve_aggregator(const HttpRequest& request, const Reply& reply);
  std::optional<HttpResponse> answer_at_once(const HttpRequest& request);
  HttpResponse answer_aggregator(const HttpRequest& request);
  void receive(Buffer upload, const Reply& reply);
  void write(std::vector<Waiting> taken);
  void publish();
  void note(std::uint64_t open, const std::optional<wire::Manifest>& closed);
  std::shared_ptr<const Published> shown();
  std::optional<Buffer> notice_of_end();
  std::string metrics();
  // Runs the work as the only one that calls the shuffler, and publishes what has become of the round. An
  // error ends the server's work.
  template <typename Work>
  bool alone(const Work& work);

  Shuffler& shuffler;
  Clock& clock;
  std::uint64_t width;  // of a report

  SerialAccess access;
  std::mutex published_mutex;
  std::shared_ptr<const Published> published;  // null while no round is open
  std::optional<Buffer> over;                  // the notice that the task is over
  Seen seen;
  RoundCounts rounds;
  UploadCounts answers;

  // The listeners are destroyed first. While they wait for the answers to their last requests, the queue and
  // the ticker still have to work.
  std::unique_ptr<BatchQueue<Waiting>> uploads;
  std::unique_ptr<Ticker> ticker;
  std::unique_ptr<HttpServer> devices, aggregator;
};

template <typename Work>
bool ShufflerServer::State::alone(const Work& work) {
  return access.alone([&] {
    work();
    publish();
  });
}

void ShufflerServer::State::publish() {
  {
    const std::lock_guard lock(published_mutex);
    if (shuffler.over()) over = shuffler.over();
    seen.trouble = shuffler.trouble_with_issuer();
  }
  const auto intake = shuffler.intake();
  const auto before = shown();
  if ((before ? before->intake : nullptr) == intake) return;
  std::shared_ptr<Published> now;
  // The round may have ended between the two calls; then the next call publishes that.
  if (const auto round = intake ? shuffler.round() : std::nullopt) {
    now = std::make_shared<Published>();
    now->intake = intake;
    now->descriptor = round->descriptor;
    now->offer = shuffler.offer();
    now->ends_at = clock.steady_ms() + round->remaining_ms;
    const auto descriptor = shuffler.descriptor();
    for (const wire::Hash& hash : {descriptor->model, descriptor->frozen}) {
      if (auto blob = shuffler.blob(hash)) now->blobs["/v1/blob/" + wire::hex_of(hash)] = *std::move(blob);
    }
  }
  const std::uint64_t open = now ? shuffler.descriptor()->round : 0;
  {
    const std::lock_guard lock(published_mutex);
    published = std::move(now);
  }
  note(open, shuffler.last_manifest());
}

// Notes which round is open, and which one was closed last.
void ShufflerServer::State::note(std::uint64_t open, const std::optional<wire::Manifest>& closed) {
  const std::lock_guard lock(published_mutex);
  // The shuffler forgets the manifest of a round that is over when the next one opens.
  if (closed && closed != seen.closed) {
    rounds.add(*closed);
    seen.closed = closed;
  }
  open == 0 ? answers.round_ends() : answers.round_opens();
  seen.open = open;
}

std::string ShufflerServer::State::metrics() {
  const std::lock_guard lock(published_mutex);
  Metrics metrics;
  metrics
      .counter(
          "muster_shuffler_uploads_total",
          "Uploads by the status of the answer, since the start; but for 503, those before the open round.",
          "answer", samples_of(answers.told()))
      .counter("muster_shuffler_rounds_total", "Rounds closed since the start, by what became of them.",
               "outcome",
               {{"released", static_cast<double>(rounds.released)},
                {"destroyed", static_cast<double>(rounds.destroyed)}})
      .gauge("muster_shuffler_open_round", "The number of the round that is open, or 0.",
             static_cast<double>(seen.open));
  Metrics::Samples rejected;
  for (std::size_t i = 0; i < rounds.rejected.size(); ++i) {
    rejected.emplace_back(name_of(static_cast<wire::Rejected>(i)), static_cast<double>(rounds.rejected[i]));
  }
  metrics.counter("muster_shuffler_uploads_rejected_total",
                  "Uploads rejected in the rounds closed since the start, by reason.", "reason", rejected);
  if (seen.closed) {
    metrics.gauge("muster_shuffler_last_heard_devices", "Devices heard in the round that was closed last.",
                  static_cast<double>(seen.closed->heard));
  }
  return metrics.text();
}

std::shared_ptr<const Published> ShufflerServer::State::shown() {
  const std::lock_guard lock(published_mutex);
  return published;
}

std::optional<Buffer> ShufflerServer::State::notice_of_end() {
  const std::lock_guard lock(published_mutex);
  return over;
}

void ShufflerServer::State::serve_device(HttpRequest request, const Reply& reply) {
  if (request.method == "POST") return receive(std::move(request.body), reply);
  const auto round = shown();
  const std::int64_t remaining = round ? round->ends_at - clock.steady_ms() : 0;
  if (auto notice = notice_of_end(); notice && request.target == "/v1/round") {
    return reply({.status = 410, .body = *std::move(notice)});
  }
  if (!round || remaining <= 0) {
    return reply({.status = request.target == "/v1/round" ? 204u : 404u});
  }
  if (request.target == "/v1/round") {
    wire::FieldWriter body(round->descriptor.size() + 8);
    body.bytes(round->descriptor).integer(static_cast<std::uint64_t>(remaining));
    return reply({.body = body.take()});
  }
  const auto blob = round->blobs.find(request.target);
  reply(found(blob == round->blobs.end() ? std::nullopt : std::optional(blob->second)));
}

void ShufflerServer::State::receive(Buffer upload, const Reply& reply) {
  const auto round = shown();
  Waiting waiting{round ? round->intake : nullptr, std::move(upload), std::nullopt, {}, reply};
  if (waiting.intake) waiting.rejected = waiting.intake->check(waiting.upload, waiting.opened);
  if (uploads->put(std::move(waiting))) return;
  answers.add(Answer::busy);
  reply(response_to(Answer::busy));
}

// Makes all uploads that wait durable together, and lets the answers go.
void ShufflerServer::State::write(std::vector<Waiting> taken) {
  std::vector<Answer> given;
  const bool is_durable = alone([&] {
    for (const Waiting& one : taken) {
      given.push_back(one.intake ? shuffler.take(*one.intake, one.upload, one.rejected, one.opened)
                                 : shuffler.upload(one.upload));
    }
    shuffler.sync();
  });
  // After a failed sync nobody is answered, because it is not known which uploads are on the disk.
  for (std::size_t i = 0; is_durable && i < taken.size(); ++i) {
    answers.add(given[i]);
    taken[i].reply(response_to(given[i]));
  }
}

// Answers what can be known without the shuffler, which waits for the disk when uploads have come. Otherwise
// whoever asks again and again would learn from the time of each answer when devices were heard.
std::optional<HttpResponse> ShufflerServer::State::answer_at_once(const HttpRequest& request) {
  if (request.method != "GET" || access.has_failed()) return std::nullopt;
  if (request.target == "/healthz") return HttpResponse{.status = 200};
  if (request.target == "/metrics") return text_response(Metrics::kType, metrics());
  const auto round = shown();
  if (!round || clock.steady_ms() >= round->ends_at) return std::nullopt;
  if (request.target == "/v1/offer") return HttpResponse{.body = round->offer};
  if (request.target.starts_with("/v1/manifest/") || request.target.starts_with("/v1/batch/")) {
    return HttpResponse{.status = 404};
  }
  return std::nullopt;
}

void ShufflerServer::State::serve_aggregator(const HttpRequest& request, const Reply& reply) {
  if (auto response = answer_at_once(request)) return reply(*std::move(response));
  HttpResponse response;
  if (alone([&] { response = answer_aggregator(request); })) reply(std::move(response));
}

HttpResponse ShufflerServer::State::answer_aggregator(const HttpRequest& request) {
  const std::string& target = request.target;
  if (request.method == "POST") {
    if (target == "/v1/blob") {
      shuffler.put_blob(request.body);
      return {.status = 201};
    }
    if (target == "/v1/receipt") return {.status = shuffler.receipt(request.body) ? 200u : 400u};
    if (target == "/v1/end") return {.status = shuffler.end(request.body) ? 200u : 409u};
    const auto open = read_open_request(request.body);
    if (!open) return {.status = 400};
    return {.status = shuffler.open(open->offered, open->first, open->rows) ? 200u : 409u};
  }
  if (target == "/v1/offer") return {.body = shuffler.offer()};
  if (target == "/v1/keys") return {.body = shuffler.keys()};
  if (const auto round = numbers_after(target, "/v1/manifest/", 1)) {
    return found(shuffler.manifest(round->front()));
  }
  const auto piece = numbers_after(target, "/v1/batch/", 3);
  if (!piece || (*piece)[2] > kMaxPiece / width) return {.status = 404};
  return found(shuffler.batch((*piece)[0], (*piece)[1], (*piece)[2]));
}

ShufflerServer::State::State(Shuffler& the_shuffler, Clock& the_clock, const ShufflerServerOptions& options)
    : shuffler(the_shuffler), clock(the_clock), width(the_shuffler.sizes().inner()) {
  // A round that was closed before this process started must not be counted as one of its rounds.
  seen.closed = shuffler.last_manifest();
  alone([] {});
  uploads = std::make_unique<BatchQueue<Waiting>>(
      options.queue, kMoment, [this](std::vector<Waiting> taken) { write(std::move(taken)); });
  ticker = std::make_unique<Ticker>(
      kTick, [this] { alone([&] { shuffler.tick(); }); }, kRest);
  const std::size_t upload = shuffler.sizes().upload();
  devices = std::make_unique<HttpServer>(
      options.devices.address, options.devices.port, options.threads,
      HttpLimits{.connections = options.connections},
      [upload](std::string_view method, std::string_view target) -> std::optional<std::size_t> {
        if (method == "POST" && target == "/v1/upload") return upload;
        const bool is_known = target == "/v1/round" || target.starts_with("/v1/blob/");
        return method == "GET" && is_known ? std::optional<std::size_t>(0) : std::nullopt;
      },
      [this](HttpRequest request, const Reply& reply) { serve_device(std::move(request), reply); });
  aggregator = std::make_unique<HttpServer>(
      options.aggregator.address, options.aggregator.port, 1, HttpLimits{.connections = 64},
      [open = longest_open_request(shuffler.most_rounds())](
          std::string_view method, std::string_view target) -> std::optional<std::size_t> {
        const bool posts = method == "POST";
        if (posts && target == "/v1/blob") return kMaxBlob;
        if (posts && target == "/v1/open") return open;
        if (posts && target == "/v1/receipt") return wire::kReceipt;
        if (posts && target == "/v1/end") return wire::kRoundNotice;
        const bool gets = target == "/healthz" || target == "/metrics" || target == "/v1/offer" ||
                          target == "/v1/keys" || target.starts_with("/v1/manifest/") ||
                          target.starts_with("/v1/batch/");
        return method == "GET" && gets ? std::optional<std::size_t>(0) : std::nullopt;
      },
      [this](const HttpRequest& request, const Reply& reply) { serve_aggregator(request, reply); });
}

ShufflerServer::ShufflerServer(Shuffler& shuffler, Clock& clock, const ShufflerServerOptions& options)
    : state_(std::make_unique<State>(shuffler, clock, options)) {}
ShufflerServer::~ShufflerServer() = default;

std::uint16_t ShufflerServer::devices_port() const { return state_->devices->port(); }
std::uint16_t ShufflerServer::aggregator_port() const { return state_->aggregator->port(); }

ShufflerServer::Seen ShufflerServer::seen() const {
  const std::lock_guard lock(state_->published_mutex);
  return state_->seen;
}

void ShufflerServer::wait(unsigned milliseconds) { state_->access.wait(milliseconds); }

}  // namespace muster::service
