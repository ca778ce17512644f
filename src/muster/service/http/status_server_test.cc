// What a role tells of itself over HTTP.
#include "muster/service/http/status_server.h"

#include <gtest/gtest.h>

#include <string>

#include "muster/service/http/http_client.h"

namespace muster::service {
namespace {

std::string text_of(const HttpClient::Answer& answer) { return {answer.body.begin(), answer.body.end()}; }

TEST(StatusServer, TellsWhatItWasShownLast) {
  StatusServer server({});
  HttpClient client(url_of({"127.0.0.1", server.port()}), "");
  for (const char* path : {"/healthz", "/status", "/status.txt"}) EXPECT_EQ(client.get(path, 10).status, 503);
  server.show("{}", "nothing\n");
  server.show("{\"state\":\"open\"}", "state open\n");
  EXPECT_EQ(client.get("/healthz", 10).status, 200);
  EXPECT_EQ(text_of(client.get("/status", 100)), "{\"state\":\"open\"}");
  EXPECT_EQ(text_of(client.get("/status.txt", 100)), "state open\n");
  for (const char* path : {"/", "/status/", "/v1/offer"}) EXPECT_EQ(client.get(path, 10).status, 404) << path;
  EXPECT_EQ(client.post("/status", {}, 10).status, 404);
}

}  // namespace
}  // namespace muster::service
