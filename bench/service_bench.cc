// Benchmarks the shuffler's server as a whole: an upload that comes over HTTP is opened, its token is
// verified, and it is durable before the answer goes out. Uploads are sealed beforehand; a process of its
// own sends them over 32 connections of this machine that are kept.
//
// `over_floor` is the CPU time of the server's process for one upload, over that of one X25519 and one
// verification of RSA-2048 by the same libraries in the same run. `per_second` counts what was acknowledged
// by the clock, while the sender shares the machine.
#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "cpu_time.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"
#include "muster/service/http/shuffler_server.h"
#include "muster/service/ledger/descriptor_of.h"
#include "muster/service/ledger/ledger.h"
#include "muster/service/store/file_log_folder.h"
#include "muster/service/store/sqlite_store.h"
#include "muster/wire/hash.h"
#include "muster/wire/issuance.h"
#include "muster/wire/offer.h"
#include "tests/support/temporary_folder.h"
#include "upload_floor.h"

namespace {

using namespace muster;
using namespace muster::wire;

constexpr std::size_t kUploads = 20000, kConnections = 256;

constexpr const char* kPlan = R"(
[population]
clients = 8
data = "digits"
[participation]
protocol = "shuffled-check-in"
rate = 0.5
[randomizer]
kind = "ldp-sgd"
epsilon0 = 2
clip = 0.5
[rounds]
count = 1
learning_rate = 0.1
[model]
kind = "logistic"
[privacy]
delta = 1e-5
)";

// An issuer that has issued the tokens of the one round already.
class OneRoundIssuer final : public service::IssuerForShuffler {
 public:
  OneRoundIssuer(const Hash& task, const SigningKey& identity, const RsaSecretKey& key)
      : signed_(sign_key_directory({task, 1, kUploads, 0, {{1, key.public_key().modulus(), kUploads + 1}}},
                                   identity)) {}
  Buffer keys() override { return signed_; }
  std::optional<Buffer> close_issuance(Bytes) override { return signed_; }
  std::optional<Buffer> note_release(Bytes) override { return signed_; }

 private:
  Buffer signed_;
};

// A shuffler with an open round on the disk of the temporary folder, and uploads for it.
struct Deployment {
  SigningKey aggregator = SigningKey::fresh(), issuer_identity = SigningKey::fresh(),
             identity = SigningKey::fresh();
  RsaSecretKey issuer_key = RsaSecretKey::fresh();
  service::TaskDocument task = service::TaskDocument::make(
      protocols::Plan::validate(protocols::PlanSource::from_text(kPlan, "plan"), protocols::Command::train),
      {.seconds = 3600,
       .most_rounds = 2,
       .aggregator = aggregator.identity(),
       .issuer = issuer_identity.identity(),
       .shuffler = identity.identity()});
  testing::TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  std::optional<service::SqliteStore> store;
  std::optional<service::FileLogFolder> logs;
  OneRoundIssuer issuer{task.name(), issuer_identity, issuer_key};
  UploadSizes sizes{17};
  std::optional<service::Shuffler> shuffler;
  std::vector<Buffer> uploads;

  Deployment() {
    store.emplace(folder / "store.db", service::SqliteStore::Access::create_or_open);
    logs.emplace(folder);
    shuffler.emplace(task, identity, sizes, *store, *logs, service::system_clock(), issuer);
    open_round();
  }

 private:
  void open_round() {
    shuffler->tick();
    const Buffer model{1};
    shuffler->put_blob(model);
    service::SqliteStore ledger_store(folder / "ledger.db", service::SqliteStore::Access::create_or_open);
    service::Ledger ledger(ledger_store, "ledger");
    ledger.append(service::TaskEntry{task.name(), 1, 1e-5});
    const HpkePublicKey for_aggregator = HpkeKeyPair::fresh().public_key();
    const service::OpenEntry open{.round = 1,
                                  .update = 0,
                                  .model = hash_of({model}),
                                  .frozen = {},
                                  .token_key = issuer_key.public_key().id(),
                                  .shuffler = read_offer(shuffler->offer(), identity.identity())->key,
                                  .aggregator = for_aggregator};
    ledger.append(open);
    const Descriptor descriptor = service::descriptor_of(open, task.name(), ledger.head());
    if (!shuffler->open(sign_descriptor(descriptor, aggregator), 0, ledger_store.rows())) std::abort();
    const Hash challenge = round_challenge_digest(task.name(), 1);
    const RoundKeys keys{1, descriptor_hash(descriptor), descriptor.shuffler, descriptor.aggregator};
    for (std::size_t i = 0; i < kUploads; ++i) {
      const PendingToken pending = begin_token(issuer_key.public_key(), challenge);
      const Token token =
          finish_token(issuer_key.public_key(), pending, *issue_token(issuer_key, pending.request)).value();
      uploads.push_back(i % 2 == 0 ? seal_dummy(keys, token, sizes) : seal_report(keys, token, Buffer(17)));
    }
  }
};

int connect_to(std::uint16_t port) {
  const int connection = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::_Exit(2);
  const int on = 1;
  ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return connection;
}

// The sender: each connection sends its next upload when the last one was acknowledged. Exits with 0 if all
// were.
[[noreturn]] void send_all(const std::vector<Buffer>& uploads, std::uint16_t port) {
  std::vector<pollfd> connections(kConnections);
  std::size_t next = 0, acknowledged = 0;
  const auto send_next = [&](int connection) {
    if (next == uploads.size()) return;
    const Buffer& upload = uploads[next++];
    std::string request =
        "POST /v1/upload HTTP/1.1\r\nHost: shuffler\r\nContent-Length: " + std::to_string(upload.size()) +
        "\r\n\r\n";
    request.append(upload.begin(), upload.end());
    if (::send(connection, request.data(), request.size(), 0) != static_cast<ssize_t>(request.size()))
      std::_Exit(3);
  };
  for (pollfd& one : connections) {
    one = {connect_to(port), POLLIN, 0};
    send_next(one.fd);
  }
  while (acknowledged < uploads.size()) {
    ::poll(connections.data(), connections.size(), -1);
    for (const pollfd& one : connections) {
      if ((one.revents & POLLIN) == 0) continue;
      std::array<char, 512> answer;
      const ssize_t got = ::recv(one.fd, answer.data(), answer.size(), 0);
      if (got < 13 || std::string(answer.data(), 12) != "HTTP/1.1 201") std::_Exit(4);
      ++acknowledged;
      send_next(one.fd);
    }
  }
  std::_Exit(0);
}

double floor_seconds() {
  const bench::Round& round = bench::shared_round();
  const bench::Verification verification(round);
  constexpr int kTimes = 2000;
  const double start = bench::thread_cpu_seconds();
  for (int i = 0; i < kTimes; ++i) {
    bench::diffie_hellman(round);
    benchmark::DoNotOptimize(verification(round));
  }
  return (bench::thread_cpu_seconds() - start) / kTimes;
}

void shuffler_per_upload_over_http(benchmark::State& state) {
  double cpu = 0, wall = 0, least = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Deployment deployment;
    least += floor_seconds() / 2;
    int to_sender[2];
    if (::pipe(to_sender) != 0) std::abort();
    // Before the server has threads.
    const pid_t sender = ::fork();
    if (sender == 0) {
      std::uint16_t port = 0;
      if (::read(to_sender[0], &port, sizeof port) != sizeof port) std::_Exit(1);
      send_all(deployment.uploads, port);
    }
    {
      service::ShufflerServer server(*deployment.shuffler, service::system_clock(), {.threads = 2});
      const std::uint16_t port = server.devices_port();
      state.ResumeTiming();
      const double start = bench::process_cpu_seconds();
      const auto began = std::chrono::steady_clock::now();
      if (::write(to_sender[1], &port, sizeof port) != sizeof port) std::abort();
      int status = 0;
      ::waitpid(sender, &status, 0);
      wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      cpu += bench::process_cpu_seconds() - start;
      state.PauseTiming();
      if (status != 0) state.SkipWithError("an upload was not acknowledged");
    }
    ::close(to_sender[0]);
    ::close(to_sender[1]);
    least += floor_seconds() / 2;
    state.ResumeTiming();
  }
  const double count = static_cast<double>(state.iterations()),
               uploads = count * static_cast<double>(kUploads);
  state.counters["us"] = 1e6 * cpu / uploads;
  state.counters["floor_us"] = 1e6 * least / count;
  state.counters["over_floor"] = cpu / uploads / (least / count);
  state.counters["per_second"] = uploads / wall;
}
BENCHMARK(shuffler_per_upload_over_http)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
