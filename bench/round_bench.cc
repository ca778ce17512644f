// Benchmarks the end of a large round: the shuffler starts again on the uploads of all devices, closes the
// round and shuffles it; the aggregator pulls the batch over HTTP, opens every report, adds it up, and
// releases the round. Each role is a process of its own, with its files on the disk of the temporary folder.
//
//     build/release/bench/round_bench          REPORTS=100000 in the environment for a smaller round
//
//   restart_s      from the start of the shuffler's process until it has read and opened all uploads
//   close_s        until the shuffled batch and the signed manifest are durable
//   release_s      from there until the aggregator has released the round
//   x_diffie_hellman   CPU time of the aggregator's process for one report, over that of one X25519
//   shuffler_mb, aggregator_mb   the largest size of each process in memory
//
// The uploads are sealed beforehand and written into the shuffler's log directly, without HTTP; service_bench
// measures how fast they could have come. Their tokens are random bytes, because a log that is read again is
// not verified a second time.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cpu_time.h"
#include "muster/http/remote_shuffler.h"
#include "muster/http/shuffler_server.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"
#include "muster/random/os_bytes.h"
#include "muster/service/aggregator/aggregator_role.h"
#include "muster/service/store/file_log_folder.h"
#include "muster/service/store/sqlite_store.h"
#include "muster/simulation/setup.h"
#include "muster/wire/upload.h"
#include "tests/support/temporary_folder.h"
#include "upload_floor.h"

namespace {

using namespace muster;
using namespace muster::wire;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kPiece = 20'000;  // uploads that are sealed before they are written

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::uint64_t wanted_reports() {
  const char* text = std::getenv("REPORTS");
  return text == nullptr ? 1'000'000 : std::strtoull(text, nullptr, 10);
}

protocols::Plan plan_for(std::uint64_t clients) {
  auto source = protocols::PlanSource::from_text(R"(
[population]
data = "digits"
[participation]
protocol = "shuffled-check-in"
rate = 1
[randomizer]
kind = "ldp-sgd"
epsilon0 = 2
clip = 0.5
[model]
kind = "features+linear"
[rounds]
count = 1
learning_rate = 0.1
[privacy]
delta = 1e-8
)",
                                                 "plan");
  source.override_key("population.clients", std::to_string(clients));
  return protocols::Plan::validate(source, protocols::Command::train);
}

// An issuer that has issued every device a token for the only round.
class OneRoundIssuer final : public service::IssuerForShuffler {
 public:
  OneRoundIssuer(const Hash& task, const SigningKey& identity, std::uint64_t devices)
      : identity_(identity),
        directory_{task, 0, devices, 0, {{1, RsaSecretKey::fresh().public_key().modulus(), devices}}} {}
  Buffer keys() override {
    ++directory_.serial;
    return sign_key_directory(directory_, identity_);
  }
  std::optional<Buffer> close_issuance(Bytes) override { return keys(); }
  std::optional<Buffer> note_release(Bytes) override {
    directory_.released = 1;
    return keys();
  }

 private:
  const SigningKey& identity_;
  KeyDirectory directory_;
};

// The keys of a task, and the folders of its two roles.
struct Task {
  explicit Task(std::uint64_t devices)
      : document(service::TaskDocument::make(plan_for(devices), {.seconds = 86400,
                                                                 .most_rounds = 1,
                                                                 .aggregator = aggregator.identity(),
                                                                 .issuer = issuer_identity.identity(),
                                                                 .shuffler = shuffler.identity()})),
        issuer(document.name(), issuer_identity, devices) {}

  service::SqliteStore store(const char* role) const {
    return {folder.path() / (std::string(role) + ".db"), service::SqliteStore::Access::create_or_open};
  }

  SigningKey aggregator = SigningKey::fresh(), issuer_identity = SigningKey::fresh(),
             shuffler = SigningKey::fresh();
  service::TaskDocument document;
  OneRoundIssuer issuer;
  UploadSizes sizes{17};
  testing::TemporaryFolder folder;
  simulation::Prepared parts = service::server_parts(document);
};

// Calls step() until the aggregator is in this state. Returns whether it was within ten minutes.
bool step_until(service::AggregatorRole& role, service::Progress::State state) {
  const auto end = Clock::now() + std::chrono::minutes(10);
  while (role.step().state != state) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

// Opens the round, and returns its keys. Both roles have been destroyed when the function returns.
RoundKeys open_round(Task& task) {
  service::SqliteStore shuffler_store = task.store("shuffler"), aggregator_store = task.store("aggregator");
  service::FileLogFolder logs(task.folder.path());
  service::Shuffler shuffler(task.document, task.shuffler, task.sizes, shuffler_store, logs,
                             service::system_clock(), task.issuer);
  shuffler.tick();
  service::Learner learner(task.document.plan(), task.parts, 1);
  service::AggregatorRole role(task.document, task.aggregator, aggregator_store, shuffler, learner,
                               simulation::epsilon_of(task.document.plan()));
  if (!step_until(role, service::Progress::State::open)) std::abort();
  const Descriptor descriptor = shuffler.descriptor().value();
  return {1, descriptor_hash(descriptor), descriptor.shuffler, descriptor.aggregator};
}

// Returns `count` sealed uploads of reports whose messages are random.
std::vector<Buffer> sealed(const RoundKeys& keys, std::size_t count) {
  std::vector<Buffer> uploads;
  uploads.reserve(count);
  Token token{};
  Buffer payload(17);
  for (std::size_t i = 0; i < count; ++i) {
    random::fill_from_os(token);
    random::fill_from_os(payload);
    payload.back() &= 1;
    uploads.push_back(seal_report(keys, token, payload));
  }
  return uploads;
}

void write_uploads(const Task& task, const RoundKeys& keys, std::uint64_t reports) {
  service::FileLogFolder logs(task.folder.path());
  const auto log = logs.open("uploads-1", task.sizes.upload());
  while (log->size() < reports) {
    const std::size_t count = std::min<std::uint64_t>(kPiece, reports - log->size());
    std::vector<Buffer> other;
    std::thread helper([&] { other = sealed(keys, count / 2); });
    for (const Buffer& upload : sealed(keys, count - count / 2)) log->append(upload);
    helper.join();
    for (const Buffer& upload : other) log->append(upload);
    log->sync();
  }
}

// What a role's process tells the benchmark through a pipe.
struct Told {
  double restart = 0, close = 0;
  std::uint16_t port = 0;
};

struct Process {
  pid_t id = 0;
  int told = -1;
};

// Runs `role` in a new process, which may write into the pipe, and returns this process.
Process start(const std::function<void(int pipe)>& role) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const pid_t id = ::fork();
  if (id == 0) {
    ::close(ends[0]);
    role(ends[1]);
    std::_Exit(0);
  }
  ::close(ends[1]);
  return {id, ends[0]};
}

template <typename T>
T read_from(const Process& process) {
  T value;
  if (::read(process.told, &value, sizeof value) != sizeof value) std::abort();
  return value;
}

template <typename T>
void write_to(int pipe, const T& value) {
  if (::write(pipe, &value, sizeof value) != sizeof value) std::_Exit(1);
}

struct Used {
  double cpu_seconds, megabytes;
};

Used wait_for(const Process& process) {
  rusage used{};
  ::wait4(process.id, nullptr, 0, &used);
  ::close(process.told);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {seconds(used.ru_utime) + seconds(used.ru_stime), 1.024e-3 * static_cast<double>(used.ru_maxrss)};
}

void run_shuffler(Task& task, int pipe) {
  const auto began = Clock::now();
  service::SqliteStore store = task.store("shuffler");
  service::FileLogFolder logs(task.folder.path());
  service::Shuffler shuffler(task.document, task.shuffler, task.sizes, store, logs, service::system_clock(),
                             task.issuer);
  Told told{.restart = seconds_since(began)};
  const auto read = Clock::now();
  shuffler.tick();
  told.close = seconds_since(read);
  service::ShufflerServer server(shuffler, service::system_clock(), {});
  told.port = server.aggregator_port();
  write_to(pipe, told);
  for (;;) server.wait(1000);
}

void run_aggregator(const Task& task, std::uint16_t port, int pipe) {
  service::SqliteStore store = task.store("aggregator");
  service::RemoteShufflerForAggregator shuffler("http://127.0.0.1:" + std::to_string(port), "",
                                                task.sizes.inner());
  service::Learner learner(task.document.plan(), task.parts, 2);
  service::AggregatorRole role(task.document, task.aggregator, store, shuffler, learner,
                               simulation::epsilon_of(task.document.plan()));
  const bool ended = step_until(role, service::Progress::State::ended);
  write_to(pipe, ended ? role.ledger().counts().released : 0);
}

double diffie_hellman_seconds() {
  const bench::Round& round = bench::shared_round();
  constexpr int kTimes = 4000;
  const double start = bench::thread_cpu_seconds();
  for (int i = 0; i < kTimes; ++i) bench::diffie_hellman(round);
  return (bench::thread_cpu_seconds() - start) / kTimes;
}

void end_of_round(benchmark::State& state) {
  const std::uint64_t reports = wanted_reports();
  for (auto _ : state) {
    state.PauseTiming();
    Task task(reports);
    const RoundKeys keys = open_round(task);
    write_uploads(task, keys, reports);
    state.ResumeTiming();
    const Process shuffler = start([&](int pipe) { run_shuffler(task, pipe); });
    const Told told = read_from<Told>(shuffler);
    const double floor = diffie_hellman_seconds();
    const auto began = Clock::now();
    const Process aggregator = start([&](int pipe) { run_aggregator(task, told.port, pipe); });
    if (read_from<std::uint64_t>(aggregator) != 1) state.SkipWithError("the round was not released");
    state.counters["release_s"] = seconds_since(began);
    const Used of_aggregator = wait_for(aggregator);
    ::kill(shuffler.id, SIGKILL);
    state.counters["shuffler_mb"] = wait_for(shuffler).megabytes;
    state.counters["aggregator_mb"] = of_aggregator.megabytes;
    state.counters["x_diffie_hellman"] = of_aggregator.cpu_seconds / static_cast<double>(reports) / floor;
    state.counters["restart_s"] = told.restart;
    state.counters["close_s"] = told.close;
  }
  state.counters["reports"] = static_cast<double>(reports);
}
BENCHMARK(end_of_round)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
