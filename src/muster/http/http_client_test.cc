// The client, and what the roles make of it, against servers that answer too much, too slowly, too little or
// nonsense.
#include "muster/http/http_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "muster/http/raw_connection_test.h"
#include "muster/http/remote_issuer.h"
#include "muster/http/remote_shuffler.h"
#include "muster/service/ports/ports.h"
#include "muster/wire/descriptor.h"
#include "muster/wire/issuance.h"
#include "muster/wire/key_directory.h"
#include "muster/wire/manifest.h"
#include "muster/wire/offer.h"
#include "muster/wire/token.h"

namespace muster::service {
namespace {

using std::chrono::milliseconds;
using wire::Buffer;

// What a server sends on each connection: a beginning, and then the same piece again and again, with a pause
// before each. A server without a piece closes the connection after the beginning or, if it is to be silent,
// keeps it open and sends nothing more.
struct Manners {
  std::string beginning, piece = {};
  milliseconds pause{0};
  bool silent = false;
};

class RudeServer {
 public:
  explicit RudeServer(Manners manners) : manners_(std::move(manners)), thread_([this] { serve(); }) {}
  ~RudeServer() {
    stopping_ = true;
    thread_.join();
  }
  std::string url() const { return "http://" + listener_.host(); }
  std::string host() const { return listener_.host(); }
  // What the first request was.
  std::string request() const {
    const std::lock_guard lock(mutex_);
    return request_;
  }

 private:
  void serve() {
    while (!stopping_) {
      const auto connection = listener_.accept(20);
      if (!connection) continue;
      keep(connection->some());
      connection->send(manners_.beginning);
      const bool goes_on = manners_.silent || !manners_.piece.empty();
      while (goes_on && !stopping_ && !connection->is_closed()) {
        std::this_thread::sleep_for(manners_.silent ? milliseconds(20) : manners_.pause);
        if (!manners_.piece.empty() && !connection->send(manners_.piece)) break;
      }
    }
  }

  void keep(const std::string& request) {
    const std::lock_guard lock(mutex_);
    if (request_.empty()) request_ = request;
  }

  Manners manners_;
  RawListener listener_;
  mutable std::mutex mutex_;
  std::string request_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

std::string with_length(std::size_t length) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
}

TEST(HttpClient, TellsNothingOfItself) {
  RudeServer server({});
  HttpClient client(server.url(), "");
  EXPECT_THROW(client.post("/v1/upload", Buffer{'a', 'b', 'c'}, 10), Unreachable);
  EXPECT_EQ(server.request(),
            "POST /v1/upload HTTP/1.1\r\nHost: " + server.host() + "\r\nContent-Length: 3\r\n\r\nabc");
}

TEST(HttpClient, AnAnswerThatIsTooLongEndlessOrNoneIsThatOfNobody) {
  const std::string much(65536, 'x'), ok = "HTTP/1.1 200 OK\r\n";
  const std::vector<std::pair<const char*, Manners>> all = {
      {"10 GiB", {with_length(std::size_t{10} << 30), much}},
      {"chunks without end", {ok + "Transfer-Encoding: chunked\r\n\r\n", "10000\r\n" + much + "\r\n"}},
      {"no length and no end", {ok + "\r\n", much}},
      {"one byte too many", {with_length(1001) + std::string(1001, 'x')}},
      {"headers without end", {ok, "X: " + std::string(1000, 'x') + "\r\n"}},
      {"a header without end", {ok + "X: ", much}},
      {"provisional answers without end", {"", "HTTP/1.1 100 Continue\r\n\r\n", milliseconds(1)}},
      {"a body of drops", {with_length(1000), "x", milliseconds(50)}},
      {"a header of drops", {ok + "X: ", "x", milliseconds(50)}},
      {"silence", {.beginning = "", .silent = true}},
      {"silence within the body", {.beginning = with_length(3) + "ab", .silent = true}},
      {"an end within the body", {with_length(10) + "abc"}},
      {"no answer", {""}},
      {"no HTTP", {"\x16\x03\x01 this is no HTTP\r\n\r\n"}},
      {"no header", {"abc"}}};
  std::vector<std::thread> asking;  // all at once, because some answers take the whole time limit
  for (const auto& each : all) {
    asking.emplace_back([&each] {
      RudeServer server(each.second);
      HttpClient client(server.url(), "", 1);
      const auto began = std::chrono::steady_clock::now();
      EXPECT_THROW(client.get("/", 1000), Unreachable) << each.first;
      EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5)) << each.first;
    });
  }
  for (std::thread& one : asking) one.join();
}

// Returns why a request had no answer; empty if it had one.
std::string reason(const std::function<void()>& request) {
  try {
    request();
  } catch (const Unreachable& error) {
    return error.what();
  }
  return "";
}

// A log that repeats only what changed would otherwise repeat each failure.
TEST(HttpClient, SaysTheSameOfTheSameTrouble) {
  const std::string nobody = [] { return RudeServer({}).url(); }();
  RudeServer silent({.beginning = "", .silent = true}), much({with_length(1001) + std::string(1001, 'x')});
  const std::vector<std::pair<std::string, const char*>> all = {
      {nobody, "Couldn't connect to server"},
      {silent.url(), "Timeout was reached"},
      {much.url(), "the answer is longer than it can be"}};
  for (const auto& [url, words] : all) {
    HttpClient client(url, "", 1);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(reason([&] { client.get("/", 1000); }), words);
  }
}

TEST(HttpClient, GoesNowhereElse) {
  RudeServer other({with_length(5) + "other"});
  RudeServer server({"HTTP/1.1 302 Found\r\nLocation: " + other.url() + "/\r\nContent-Length: 0\r\n\r\n"});
  EXPECT_EQ(HttpClient(server.url(), "").get("/", 1000).status, 302);
  EXPECT_EQ(other.request(), "");
}

// An answer that is longer than any valid one is refused before it is read, and so is an answer with a status
// that the other side never gives. A shorter answer is passed to the decoders of wire/, which refuse every
// length but the right one.
struct Call {
  const char* name;
  std::size_t longest;
  std::function<void(const std::string& url)> make;
};

std::vector<Call> calls() {
  const auto device = [](const auto& ask) {
    return [ask](const std::string& url) {
      RemoteShufflerForDevices shuffler(url, "", 100'000);
      ask(shuffler);
    };
  };
  const auto aggregator = [](const auto& ask) {
    return [ask](const std::string& url) {
      RemoteShufflerForAggregator shuffler(url, "", 65);
      ask(shuffler);
    };
  };
  const auto issuer = [](const auto& ask) {
    return [ask](const std::string& url) {
      RemoteIssuer remote(url, "");
      ask(remote);
    };
  };
  constexpr std::size_t kDirectory = std::size_t{1} << 20;
  return {
      {"round", wire::kSignedDescriptor + 8, device([](auto& s) { s.round(); })},
      {"blob", 100'000, device([](auto& s) { s.blob({1}); })},
      {"upload", 0, device([](auto& s) { s.upload(Buffer(3)); })},
      {"offer", wire::kOffer, aggregator([](auto& s) { s.offer(); })},
      {"keys for the aggregator", kDirectory, aggregator([](auto& s) { s.keys(); })},
      {"put a blob", 0, aggregator([](auto& s) { s.put_blob(Buffer(3)); })},
      {"open", 0, aggregator([](auto& s) { s.open(Buffer(wire::kDescriptorBody + 64), 0, {}); })},
      {"manifest", wire::kManifest, aggregator([](auto& s) { s.manifest(1); })},
      {"batch", 3 * 65, aggregator([](auto& s) { s.batch(1, 0, 3); })},
      {"receipt", 0, aggregator([](auto& s) { s.receipt(Buffer(3)); })},
      {"end", 0, aggregator([](auto& s) { s.end(Buffer(3)); })},
      {"keys", kDirectory, issuer([](auto& i) { i.keys(); })},
      {"tokens", wire::kMaxTokenBlock * wire::kTokenResponse, issuer([](auto& i) { i.tokens(Buffer(3)); })},
      {"close", kDirectory, issuer([](auto& i) { i.close_issuance(Buffer(3)); })},
      {"release", kDirectory, issuer([](auto& i) { i.note_release(Buffer(3)); })}};
}

TEST(RemoteRoles, NoAnswerIsLongerThanItCanBe) {
  for (const Call& call : calls()) {
    const bool is_counted = std::string(call.name) == "upload" || std::string(call.name) == "put a blob" ||
                            std::string(call.name) == "tokens";
    const std::string status = is_counted ? "201 Created" : "200 OK";
    for (const std::size_t more : {0u, 1u}) {
      SCOPED_TRACE(std::string(call.name) + " " + std::to_string(more));
      const std::size_t length = call.longest + more;
      RudeServer server({"HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n" +
                         std::string(length, '\0')});
      if (more == 0) {
        EXPECT_NO_THROW(call.make(server.url()));
      } else {
        EXPECT_THROW(call.make(server.url()), Unreachable);
      }
    }
  }
}

TEST(RemoteRoles, AStatusThatNoRoleAnswersIsThatOfNobody) {
  for (const char* status :
       {"202 Accepted", "301 Moved", "401 Unauthorized", "500 Error", "502 Bad Gateway"}) {
    RudeServer server({std::string("HTTP/1.1 ") + status + "\r\nContent-Length: 0\r\n\r\n"});
    for (const Call& call : calls()) {
      EXPECT_EQ(reason([&] { call.make(server.url()); }),
                "it answers with status " + std::string(status).substr(0, 3))
          << call.name;
    }
  }
}

TEST(RemoteRoles, ARoundHasALengthAndATimeThatIsLeft) {
  const auto round = [](std::size_t length, char last) {
    std::string body(length, '\0');
    body.back() = last;  // the highest byte of the milliseconds that are left
    RudeServer server({with_length(length) + body});
    return RemoteShufflerForDevices(server.url(), "", 10).round();
  };
  constexpr std::size_t kLength = wire::kSignedDescriptor + 8;
  EXPECT_EQ(round(kLength, 0)->remaining_ms, 0);
  EXPECT_THROW(round(kLength - 1, 0), Unreachable);
  EXPECT_THROW(round(kLength, 1), Unreachable);
  EXPECT_THROW(round(kLength, '\x80'), Unreachable);
}

}  // namespace
}  // namespace muster::service
