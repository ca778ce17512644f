// Checks what a role shows of itself over HTTP.
#include "muster/http/status_server.h"

#include <gtest/gtest.h>

#include <string>

#include "muster/http/content_policy.h"
#include "muster/http/http_client.h"

namespace muster::service {
namespace {

constexpr const char* kStyle = "p{color:red}";

std::string text_of(const HttpClient::Answer& answer) { return {answer.body.begin(), answer.body.end()}; }

TEST(StatusServer, TellsWhatItWasShownLast) {
  StatusServer server({}, kStyle);
  HttpClient client(url_of({"127.0.0.1", server.port()}), "");
  for (const char* path : {"/", "/healthz", "/metrics", "/status", "/status.txt"}) {
    EXPECT_EQ(client.get(path, 10).status, 503);
  }
  server.show({.json = "{}", .words = "nothing\n", .page = "<p>", .metrics = "a 0\n"});
  server.show(
      {.json = "{\"state\":\"open\"}", .words = "state open\n", .page = "<p>open", .metrics = "a 1\n"});
  EXPECT_EQ(client.get("/healthz", 10).status, 200);
  EXPECT_EQ(text_of(client.get("/", 100)), "<p>open");
  EXPECT_EQ(text_of(client.get("/metrics", 100)), "a 1\n");
  EXPECT_EQ(text_of(client.get("/status", 100)), "{\"state\":\"open\"}");
  EXPECT_EQ(text_of(client.get("/status.txt", 100)), "state open\n");
  for (const char* path : {"/index.html", "/?a", "/status/", "/v1/offer"}) {
    EXPECT_EQ(client.get(path, 10).status, 404) << path;
  }
  for (const char* path : {"/", "/status"}) EXPECT_EQ(client.post(path, {}, 10).status, 404) << path;
}

}  // namespace
}  // namespace muster::service
