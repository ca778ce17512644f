// A shuffler's server on this machine's network that is offered twice the uploads it can take, while
// thousands of connections are idle and hundreds send a byte now and then. Answers stay 201 or 503, its
// memory stays bounded, and after kill -9 every acknowledged upload is in its log.
//
// The server is a process of its own. How many uploads it can take is measured first, over connections of
// which each waits for its answer. Then uploads are sent at twice this rate, without waiting for the answers
// of others.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <deque>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "muster/http/raw_connection_test.h"
#include "muster/http/shuffler_server.h"
#include "tests/deployment/open_shuffler.h"

namespace muster::deployment {
namespace {

using Clock = std::chrono::steady_clock;
using service::RawConnection;

constexpr std::size_t kIdle = 5000, kSlow = 500;
constexpr std::size_t kMeasured = 5000, kOffered = 20000;
constexpr std::size_t kAtOnce = 2500;  // uploads that are sent and not yet answered
static_assert(kIdle + kSlow + kAtOnce <= 8192, "as many connections as the server takes");

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The server, in a process that ends only by a signal.
class ServerProcess {
 public:
  explicit ServerProcess(OpenShuffler& deployment) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    id_ = ::fork();
    if (id_ == 0) {
      service::ShufflerServer server(*deployment.shuffler, service::system_clock(), {.threads = 2});
      const std::uint16_t port = server.devices_port();
      if (::write(ends[1], &port, sizeof port) != sizeof port) std::_Exit(1);
      for (;;) server.wait(1000);
    }
    ::close(ends[1]);
    EXPECT_EQ(::read(ends[0], &port_, sizeof port_), static_cast<ssize_t>(sizeof port_));
    ::close(ends[0]);
  }
  ~ServerProcess() { kill(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  std::uint16_t port() const { return port_; }
  // The largest size of the process in memory so far.
  double megabytes() const {
    std::ifstream status("/proc/" + std::to_string(id_) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return 1.024e-3 * std::stod(line.substr(6));
    }
    return 0;
  }
  void kill() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
    id_ = -1;
  }

 private:
  pid_t id_ = -1;
  std::uint16_t port_ = 0;
};

// Sends uploads over connections that are kept, and counts the answers.
class Sender {
 public:
  Sender(const std::vector<wire::Buffer>& uploads, std::uint16_t port) : uploads_(uploads), port_(port) {}

  // Sends uploads [first, last) at this rate, with at most `at_once` of them not answered, and waits for all
  // answers. Returns the seconds that it took.
  double send(std::size_t first, std::size_t last, std::size_t at_once, double per_second) {
    const auto start = Clock::now();
    std::size_t sent = first;
    while (sent < last || waiting_ > 0) {
      const std::size_t due = first + static_cast<std::size_t>(seconds_since(start) * per_second);
      while (sent < std::min(due, last) && waiting_ < at_once) send_one(sent++);
      receive();
      if (seconds_since(start) > 300) {
        ADD_FAILURE() << waiting_ << " uploads have no answer";
        break;
      }
    }
    return seconds_since(start);
  }

  const std::set<std::size_t>& acknowledged() const { return acknowledged_; }
  std::size_t busy() const { return busy_; }

 private:
  void send_one(std::size_t number) {
    if (free_.empty()) {
      connections_.emplace_back(port_);
      polled_.push_back({connections_.back().descriptor(), POLLIN, 0});
      carries_.push_back(0);
      free_.push_back(polled_.size() - 1);
    }
    const std::size_t connection = free_.back();
    free_.pop_back();
    const wire::Buffer& upload = uploads_[number];
    std::string request =
        "POST /v1/upload HTTP/1.1\r\nHost: shuffler\r\nContent-Length: " + std::to_string(upload.size()) +
        "\r\n\r\n";
    request.append(upload.begin(), upload.end());
    connections_[connection].send(request);
    carries_[connection] = number;
    ++waiting_;
  }

  void receive() {
    ::poll(polled_.data(), polled_.size(), 1);
    for (std::size_t i = 0; i < polled_.size(); ++i) {
      if ((polled_[i].revents & POLLIN) == 0) continue;
      const std::string answer = connections_[i].some();
      if (answer.starts_with("HTTP/1.1 201")) {
        acknowledged_.insert(carries_[i]);
      } else {
        EXPECT_TRUE(answer.starts_with("HTTP/1.1 503")) << answer;
        ++busy_;
      }
      free_.push_back(i);
      --waiting_;
    }
  }

  const std::vector<wire::Buffer>& uploads_;
  std::uint16_t port_;
  std::deque<RawConnection> connections_;
  std::vector<pollfd> polled_;
  std::vector<std::size_t> carries_, free_;  // the upload of each connection, and the connections without one
  std::set<std::size_t> acknowledged_;
  std::size_t waiting_ = 0, busy_ = 0;
};

// The uploads that are in the log of the round.
std::set<wire::Buffer> logged(const OpenShuffler& deployment) {
  service::FileLogFolder logs(deployment.folder);
  const auto log = logs.open("uploads-1", deployment.sizes.upload());
  std::set<wire::Buffer> all;
  log->read_all([&](wire::Bytes upload) { all.emplace(upload.begin(), upload.end()); });
  return all;
}

TEST(Overload, AtTwiceTheRateNothingAcknowledgedIsLost) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  constexpr std::size_t kOthers = 100;  // files that are open besides
  if (files.rlim_max < kIdle + kSlow + kAtOnce + kOthers) GTEST_SKIP() << "too few files may be open";
  OpenShuffler deployment(kMeasured + kOffered);
  ServerProcess server(deployment);
  deployment.shuffler.reset();
  deployment.logs.reset();
  deployment.store.reset();

  std::deque<RawConnection> idle, slow;
  for (std::size_t i = 0; i < kIdle; ++i) idle.emplace_back(server.port());
  for (std::size_t i = 0; i < kSlow; ++i) {
    slow.emplace_back(server.port());
    slow.back().send("POST /v1/upload HTTP/1.1\r\nContent-Length: 500\r\n\r\n");
  }
  Sender sender(deployment.uploads, server.port());
  const double per_second = kMeasured / sender.send(0, kMeasured, 512, 1e9);
  EXPECT_EQ(sender.busy(), 0u);
  const double before = server.megabytes();
  for (RawConnection& one : slow) one.send("x");
  const double seconds = sender.send(kMeasured, kMeasured + kOffered, kAtOnce, 2 * per_second);
  for (RawConnection& one : slow) one.send("x");
  const double after = server.megabytes();
  std::printf(
      "%.0f uploads a second can be taken; %zu more at twice the rate: %zu acknowledged, %zu told to come "
      "again, "
      "in %.1f s; %.0f MB before, %.0f MB after\n",
      per_second, kOffered, sender.acknowledged().size() - kMeasured, sender.busy(), seconds, before, after);
  EXPECT_EQ(sender.acknowledged().size() + sender.busy(), kMeasured + kOffered);
  // What is remembered of an upload takes less than a kilobyte, and a connection takes 20 kB.
  EXPECT_LT(after - before, 1e-3 * kOffered + 0.02 * kAtOnce);
  server.kill();
  const std::set<wire::Buffer> log = logged(deployment);
  for (const std::size_t number : sender.acknowledged())
    EXPECT_TRUE(log.contains(deployment.uploads[number])) << number;
}

}  // namespace
}  // namespace muster::deployment
