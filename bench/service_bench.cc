// Benchmarks the shuffler's server as a whole: an upload that comes over HTTP is opened, its token is
// verified, and it is on the disk before the answer goes out. Uploads are sealed beforehand; another process
// sends them over 256 persistent connections on this machine.
//
// `over_floor` is the CPU time of the server's process for one upload, divided by the CPU time of one X25519
// function and one verification of RSA-2048 by the same libraries in the same run. `per_second` is the number
// of uploads acknowledged per second by the clock, while the sender runs on the same machine.
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
#include <vector>

#include "cpu_time.h"
#include "muster/http/shuffler_server.h"
#include "tests/deployment/open_shuffler.h"
#include "upload_floor.h"

namespace {

using namespace muster;
using wire::Buffer;

constexpr std::size_t kUploads = 20000, kConnections = 256;

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

// Sends all uploads: each connection sends its next upload when the one before was acknowledged. Ends the
// process, with exit status 0 if all uploads were acknowledged.
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
    deployment::OpenShuffler deployment(kUploads);
    least += floor_seconds() / 2;
    int to_sender[2];
    if (::pipe(to_sender) != 0) std::abort();
    // The process forks before the server starts threads.
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
