// The server and the client against each other, and the server against clients that do not keep to HTTP or
// take all the time there is.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/http/http_client.h"
#include "muster/http/http_server.h"
#include "muster/http/raw_connection_test.h"
#include "muster/service/ports/ports.h"
#include "tests/support/temporary_folder.h"

namespace muster::service {
namespace {

using wire::Buffer;

constexpr std::size_t kBody = 1000;

// Echoes bodies of at most kBody bytes on POST /echo, answers GET /size/N with N bytes, and GET /slow after
// half a second from another thread.
class TestServer {
 public:
  explicit TestServer(const HttpLimits& limits = {})
      : server_(
            "127.0.0.1", 0, 2, limits,
            [](std::string_view method, std::string_view target) -> std::optional<std::size_t> {
              if (method == "POST" && target == "/echo") return kBody;
              if (method == "GET") return 0;
              return std::nullopt;
            },
            [this](HttpRequest request, HttpServer::Reply reply) {
              handle(std::move(request), std::move(reply));
            }) {}
  ~TestServer() {
    for (std::thread& thread : threads_) thread.join();
  }

  std::uint16_t port() const { return server_.port(); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port()); }
  HttpServer& server() { return server_; }
  int handled() const { return handled_; }

 private:
  void handle(HttpRequest request, HttpServer::Reply reply) {
    ++handled_;
    if (request.method == "POST") return reply({.status = 201, .body = std::move(request.body)});
    if (request.target.starts_with("/size/"))
      return reply({.body = Buffer(std::stoul(request.target.substr(6)))});
    if (request.target != "/slow") return reply({.status = 404});
    threads_.emplace_back([reply = std::move(reply)] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      reply({.status = 503, .headers = {{"Retry-After", "5"}}});
    });
  }

  std::atomic<int> handled_{0};
  std::vector<std::thread> threads_;
  HttpServer server_;
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST(Http, RequestsAndAnswersArriveWhole) {
  TestServer server;
  HttpClient client(server.url(), "");
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kBody}) {
    Buffer body(size);
    for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<std::uint8_t>(i * 7);
    const auto answer = client.post("/echo", body, kBody);
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.body, body);
  }
  EXPECT_EQ(client.get("/size/3000000", 3'000'000).body.size(), 3'000'000u);
  EXPECT_EQ(client.get("/elsewhere", 10).status, 404);
  EXPECT_EQ(server.server().connections(), 1u);  // the client reuses its one connection
}

TEST(Http, AnAnswerMayComeFromAnotherThread) {
  TestServer server;
  HttpClient client(server.url(), "");
  EXPECT_EQ(client.get("/slow", 10).status, 503);
  RawConnection raw(server.port());
  raw.send("GET /slow HTTP/1.0\r\n\r\n");
  EXPECT_NE(raw.rest().find("Retry-After: 5\r\n"), std::string::npos);
}

TEST(Http, AClientTakesNoMoreThanItAskedFor) {
  TestServer server;
  HttpClient client(server.url(), "");
  EXPECT_THROW(client.get("/size/1001", 1000), Unreachable);
  EXPECT_EQ(client.get("/size/1000", 1000).status, 200);
}

TEST(Http, AClientSaysWhenNobodyIsThere) {
  std::string url;
  {
    TestServer server;
    url = server.url();
  }
  HttpClient client(url, "");
  EXPECT_THROW(client.get("/size/1", 10), Unreachable);
  EXPECT_ERROR(ErrorCode::plan, HttpClient("ftp://example.org", ""));
}

TEST(Http, AFileWithoutCertificatesIsRefusedBeforeAnyRequest) {
  const muster::testing::TemporaryFolder folder;
  const std::string path = folder.path() / "ca.pem";
  EXPECT_ERROR(ErrorCode::file, HttpClient("https://example.org", path));
  std::ofstream(path) << "no certificate\n";
  EXPECT_ERROR(ErrorCode::file, HttpClient("https://example.org", path));
}

TEST(Http, BodiesThatAreNotAllowedAreRefusedUnread) {
  TestServer server;
  for (const std::string& request :
       {std::string("POST /echo HTTP/1.1\r\nContent-Length: 1001\r\n\r\n"),
        std::string("POST /echo HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"),
        std::string("POST /echo HTTP/1.1\r\nContent-Length: 18446744073709551616\r\n\r\n"),
        std::string("POST /echo HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string("POST /echo HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
        std::string("POST /echo HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 3\r\n\r\nabcd"),
        std::string("POST /echo HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
        std::string("POST /echo HTTP/1.1\r\nContent-Length: 3, 3\r\n\r\nabc"),
        std::string("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
        std::string("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc"),
        std::string("GET /size/1 HTTP/1.1\r\nContent-Length: 1\r\n\r\na"),
        std::string("\x16\x03\x01 this is no HTTP\r\n\r\n"), std::string("GET /size/1\r\n\r\n"),
        "GET /size/1 HTTP/1.1\r\nX: " + std::string(9000, 'x') + "\r\n\r\n"}) {
    RawConnection raw(server.port());
    raw.send(request);
    EXPECT_TRUE(raw.rest().starts_with("HTTP/1.1 400")) << request.substr(0, 80);
  }
  RawConnection raw(server.port());
  raw.send("DELETE /echo HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(raw.rest().starts_with("HTTP/1.1 404"));
  EXPECT_EQ(server.handled(), 0);
}

TEST(Http, PipelinedRequestsAreAnsweredInTheirOrder) {
  TestServer server;
  RawConnection raw(server.port());
  raw.send(
      "GET /slow HTTP/1.1\r\n\r\nPOST /echo HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /size/2 "
      "HTTP/1.0\r\n\r\n");
  const std::string answers = raw.rest();
  EXPECT_EQ(count(answers, "HTTP/1."), 3u);
  EXPECT_LT(answers.find(" 503 "), answers.find(" 201 "));
  EXPECT_LT(answers.find(" 201 "), answers.find(" 200 "));
}

TEST(Http, ConnectionsThatSayNothingOrTooLittleAreClosed) {
  HttpLimits limits;
  limits.idle_seconds = 1;
  limits.request_seconds = 1;
  TestServer server(limits);
  for (const char* beginning : {"", "GET /si", "POST /echo HTTP/1.1\r\nContent-Length: 10\r\n\r\nab"}) {
    RawConnection raw(server.port());
    raw.send(beginning);
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(raw.rest(), "") << beginning;
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(4)) << beginning;
  }
}

// An answer may come later than any limit of a request. The server must still be there for it.
TEST(Http, EndsAfterTheLastAnswerThatItOwes) {
  HttpLimits limits;
  limits.request_seconds = 1;
  std::promise<HttpServer::Reply> taken;
  auto server = std::make_unique<HttpServer>(
      "127.0.0.1", 0, 1, limits,
      [](std::string_view, std::string_view) -> std::optional<std::size_t> { return 0; },
      [&](const HttpRequest&, HttpServer::Reply reply) { taken.set_value(std::move(reply)); });
  RawConnection client(server->port());
  client.send("GET / HTTP/1.1\r\n\r\n");
  HttpServer::Reply reply = taken.get_future().get();
  std::atomic<bool> answered = false;
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    answered = true;
    std::exchange(reply, nullptr)({.status = 200});
  });
  server.reset();
  EXPECT_TRUE(answered);
  late.join();
  EXPECT_EQ(count(client.rest(), "HTTP/1.1 200"), 1u);
}

// The time is that of the whole request, or of the whole answer, however its bytes are spaced.
TEST(Http, ConnectionsOnWhichEveryByteTakesItsTimeAreClosed) {
  HttpLimits limits;
  limits.idle_seconds = 1;
  limits.request_seconds = 1;
  TestServer server(limits);
  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  RawConnection header(server.port()), body(server.port()), reader(server.port());
  body.send("POST /echo HTTP/1.1\r\nContent-Length: 1000\r\n\r\n");
  reader.send("GET /size/50000000 HTTP/1.1\r\n\r\n");
  while ((seconds() < 0.5 || server.server().connections() > 0) && seconds() < 8) {
    header.send("A");
    body.send("a");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(server.server().connections(), 0u);
  EXPECT_TRUE(header.is_closed());
  EXPECT_TRUE(body.is_closed());
  EXPECT_GT(seconds(), 0.9);
  EXPECT_EQ(server.handled(), 1);
}

TEST(Http, ABodyThatWaitsToBeAskedForIsAskedForIfItIsAllowed) {
  TestServer server;
  const auto header = [](const char* length) {
    return std::string("POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: ") + length +
           "\r\n\r\n";
  };
  const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  RawConnection waiting(server.port());
  for (int again = 0; again < 2; ++again) {
    waiting.send(header("3"));
    EXPECT_EQ(waiting.some(), go_on);
    waiting.send("abc");
    EXPECT_TRUE(waiting.some().starts_with("HTTP/1.1 201"));
  }
  RawConnection too_long(server.port());
  too_long.send(header("1001"));
  EXPECT_TRUE(too_long.rest().starts_with("HTTP/1.1 400"));
  RawConnection old(server.port());
  old.send("POST /echo HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_TRUE(old.rest().starts_with("HTTP/1.0 201"));
  EXPECT_EQ(server.handled(), 3);
}

TEST(Http, MoreConnectionsThanAllowedAreClosedAndTheOthersServed) {
  HttpLimits limits;
  limits.connections = 4;
  TestServer server(limits);
  HttpClient client(server.url(), "");
  EXPECT_EQ(client.get("/size/1", 10).status, 200);
  std::vector<std::unique_ptr<RawConnection>> idle;
  for (int i = 0; i < 20; ++i) idle.push_back(std::make_unique<RawConnection>(server.port()));
  // A surplus connection is counted until the server has closed it, so the count is polled.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  } while (server.server().connections() != 4 && std::chrono::steady_clock::now() < end);
  EXPECT_EQ(server.server().connections(), 4u);
  EXPECT_EQ(client.get("/size/1", 10).status, 200);
}

TEST(Http, AnAddressThatIsTakenOrNoneIsAnError) {
  TestServer server;
  const auto listen = [](const std::string& address, std::uint16_t port) {
    HttpServer(
        address, port, 1, {}, [](auto, auto) { return std::nullopt; }, [](auto, auto) {});
  };
  EXPECT_ERROR(ErrorCode::plan, listen("localhost", 0));
  EXPECT_ERROR(ErrorCode::file, listen("127.0.0.1", server.port()));
  EXPECT_ERROR(ErrorCode::file, listen("203.0.113.1", 0));  // of no interface of this machine
}

}  // namespace
}  // namespace muster::service
