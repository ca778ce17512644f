// Benchmarks the shuffler's server as a whole. An upload comes over HTTP, is opened, its token is verified,
// and it is on the disk before the answer goes out; or a device asks which round is open. Requests are made
// beforehand, and uploads sealed; another process sends them over 256 persistent connections on this machine.
//
// `over_floor` is the CPU time of the server's process for one request, divided by the CPU time of one X25519
// function and one verification of RSA-2048 by the same libraries in the same run. `per_second` is the number
// of requests answered per second by the clock, while the sender runs on the same machine.
#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cpu_time.h"
#include "muster/http/shuffler_server.h"
#include "tests/deployment/open_shuffler.h"
#include "upload_floor.h"

namespace {

using namespace muster;
using wire::Buffer;

constexpr std::size_t kRequests = 20000, kConnections = 256;

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

// Sends all requests: each connection sends its next one when the one before was answered. Ends the process,
// with exit status 0 if all answers began with these words.
[[noreturn]] void send_all(const std::vector<std::string>& requests, std::string_view answered,
                           std::uint16_t port) {
  std::vector<pollfd> connections(kConnections);
  std::size_t next = 0, done = 0;
  const auto send_next = [&](int connection) {
    if (next == requests.size()) return;
    const std::string& request = requests[next++];
    if (::send(connection, request.data(), request.size(), 0) != static_cast<ssize_t>(request.size()))
      std::_Exit(3);
  };
  for (pollfd& one : connections) {
    one = {connect_to(port), POLLIN, 0};
    send_next(one.fd);
  }
  while (done < requests.size()) {
    ::poll(connections.data(), connections.size(), -1);
    for (const pollfd& one : connections) {
      if ((one.revents & POLLIN) == 0) continue;
      std::array<char, 4096> answer;  // is longer than every answer
      const ssize_t got = ::recv(one.fd, answer.data(), answer.size(), 0);
      if (got < 0 || !std::string_view(answer.data(), static_cast<std::size_t>(got)).starts_with(answered))
        std::_Exit(4);
      ++done;
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

// Measures the server with the requests that `requests_of` makes for the uploads of an open round.
template <typename RequestsOf>
void answer_all(benchmark::State& state, const RequestsOf& requests_of, std::string_view answered) {
  double cpu = 0, wall = 0, least = 0;
  for (auto _ : state) {
    state.PauseTiming();
    deployment::OpenShuffler deployment(kRequests);
    const std::vector<std::string> requests = requests_of(deployment.uploads);
    least += floor_seconds() / 2;
    int to_sender[2];
    if (::pipe(to_sender) != 0) std::abort();
    // The process forks before the server starts threads.
    const pid_t sender = ::fork();
    if (sender == 0) {
      std::uint16_t port = 0;
      if (::read(to_sender[0], &port, sizeof port) != sizeof port) std::_Exit(1);
      send_all(requests, answered, port);
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
      if (status != 0) state.SkipWithError("a request was not answered as it should be");
    }
    ::close(to_sender[0]);
    ::close(to_sender[1]);
    least += floor_seconds() / 2;
    state.ResumeTiming();
  }
  const double count = static_cast<double>(state.iterations()),
               requests = count * static_cast<double>(kRequests);
  state.counters["us"] = 1e6 * cpu / requests;
  state.counters["floor_us"] = 1e6 * least / count;
  state.counters["over_floor"] = cpu / requests / (least / count);
  state.counters["per_second"] = requests / wall;
}

void shuffler_per_upload_over_http(benchmark::State& state) {
  const auto uploads = [](const std::vector<Buffer>& sealed) {
    std::vector<std::string> requests;
    for (const Buffer& upload : sealed) {
      requests.push_back("POST /v1/upload HTTP/1.1\r\nHost: shuffler\r\nContent-Length: " +
                         std::to_string(upload.size()) + "\r\n\r\n");
      requests.back().append(upload.begin(), upload.end());
    }
    return requests;
  };
  answer_all(state, uploads, "HTTP/1.1 201");
}
BENCHMARK(shuffler_per_upload_over_http)->Unit(benchmark::kMillisecond)->Iterations(1);

void shuffler_per_question_over_http(benchmark::State& state) {
  const auto questions = [](const std::vector<Buffer>& sealed) {
    return std::vector<std::string>(sealed.size(), "GET /v1/round HTTP/1.1\r\nHost: shuffler\r\n\r\n");
  };
  answer_all(state, questions, "HTTP/1.1 200");
}
BENCHMARK(shuffler_per_question_over_http)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
