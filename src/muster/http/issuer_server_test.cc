// The issuer behind its server, reached by HTTP, on a disk that may break.
#include "muster/http/issuer_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/http/http_client.h"
#include "muster/http/remote_issuer.h"
#include "muster/service/issuer/small_deployment_test.h"
#include "muster/service/store/disk_test.h"

namespace muster::service {
namespace {

using wire::Buffer;

class IssuerServerTest : public ::testing::Test {
 protected:
  IssuerServerTest() {
    issuer_.enrol(devices(6));
    issuer_.prepare(3);
    server_.emplace(issuer_, IssuerServerOptions{.threads = 2, .rounds_ahead = 3, .publish = kPause});
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }
  // Waits until the directory states that this number of tokens was issued for round 1, and returns it;
  // nullopt if it never does.
  std::optional<wire::KeyDirectory> directory_with(RemoteIssuer& issuer, std::uint64_t issued) const {
    for (int i = 0; i < 200; ++i) {
      auto directory = read(issuer.keys());
      if (directory.entries.front().issued == issued) return directory;
      std::this_thread::sleep_for(kPause);
    }
    return std::nullopt;
  }
  wire::PendingToken pending() { return begin(read(issuer_keys()), 1); }
  Buffer issuer_keys() { return RemoteIssuer(url(), "").keys(); }
  Buffer block(std::uint8_t device, const wire::PendingToken& token) const {
    return block_of(device, {{1, token.request}}, task_.name());
  }

  static constexpr std::chrono::milliseconds kPause{20};
  TaskDocument task_ = small_task();
  Disk disk_;
  Issuer issuer_{task_, issuer_identity(), disk_.store(), disk_.logs(), "the issuer", stored_keys()};
  std::optional<IssuerServer> server_;
};

TEST_F(IssuerServerTest, TokensAreIssuedUntilTheRoundIsClosed) {
  RemoteIssuer issuer(url(), "");
  for (std::uint8_t device = 0; device < kNeeded; ++device) {
    const wire::PendingToken token = pending();
    const Buffer request = block(device, token);
    const auto tokens = issuer.tokens(request);
    ASSERT_EQ(tokens.answer, Answer::stored);
    EXPECT_TRUE(wire::finish_token(stored_key(1).public_key(), token, tokens.responses));
    EXPECT_EQ(issuer.tokens(request).responses, tokens.responses);
    EXPECT_EQ(issuer.tokens(block(device, pending())).answer, Answer::refused);
    if (device == 0) {
      EXPECT_FALSE(issuer.close_issuance(order_to_close(1, task_.name())));
    }
  }
  const auto before = directory_with(issuer, kNeeded);
  ASSERT_TRUE(before);
  const auto closed = issuer.close_issuance(order_to_close(1, task_.name()));
  ASSERT_TRUE(closed);
  EXPECT_TRUE(wire::follows(read(*closed), *before));
  // The same order is obeyed again. In between, the server may have published the key of another round.
  const auto again = issuer.close_issuance(order_to_close(1, task_.name()));
  ASSERT_TRUE(again);
  EXPECT_TRUE(*again == *closed || wire::follows(read(*again), read(*closed)));
  EXPECT_TRUE(read(server_->keys()).serial >= read(*closed).serial);
  EXPECT_FALSE(issuer.note_release(notice_of_release(2, task_.name())));
  EXPECT_EQ(read(issuer.note_release(notice_of_release(1, task_.name())).value()).released, 1u);
  EXPECT_EQ(read(issuer.keys()).released, 1u);
  EXPECT_EQ(issuer.tokens(block(4, pending())).answer, Answer::over);
}

TEST_F(IssuerServerTest, OtherRequestsAreRefused) {
  RemoteIssuer issuer(url(), "");
  EXPECT_EQ(issuer.tokens({}).answer, Answer::refused);
  EXPECT_EQ(issuer.tokens(block(6, pending())).answer, Answer::refused);  // not enrolled
  EXPECT_FALSE(issuer.close_issuance(wire::sign_close_issuance({task_.name(), 1}, issuer_identity())));
  HttpClient client(url(), "");
  EXPECT_EQ(client.post("/v1/tokens", Buffer(20'000), 0).status, 400);
  EXPECT_EQ(client.get("/v1/tokens", 0).status, 404);
  EXPECT_EQ(client.get("/v1/round", 0).status, 404);
  EXPECT_EQ(client.get("/healthz", 0).status, 200);
  EXPECT_EQ(client.post("/metrics", {}, 10).status, 404);
}

TEST_F(IssuerServerTest, MetricsSayWhatThePublishedDirectoryDoes) {
  RemoteIssuer issuer(url(), "");
  HttpClient client(url(), "");
  const auto metrics = [&] {
    const auto answer = client.get("/metrics", 100'000);
    return "\n" + std::string(answer.body.begin(), answer.body.end());
  };
  const auto expect = [&](const std::string& line) {
    EXPECT_NE(metrics().find("\n" + line + "\n"), std::string::npos) << line << metrics();
  };
  expect("muster_issuer_enrolled_devices 6");
  expect("muster_issuer_keys_ahead 3");
  expect("muster_issuer_rounds_closed_total 0");
  for (std::uint8_t device = 0; device < kNeeded; ++device) issuer.tokens(block(device, pending()));
  ASSERT_TRUE(directory_with(issuer, kNeeded));
  expect(fmt::format("muster_issuer_tokens_issued{{round=\"next\"}} {}", kNeeded));
  ASSERT_TRUE(issuer.close_issuance(order_to_close(1, task_.name())));
  expect("muster_issuer_rounds_closed_total 1");
  expect(fmt::format("muster_issuer_tokens_issued{{round=\"closed\"}} {}", kNeeded));
  expect("muster_issuer_tokens_issued{round=\"next\"} 0");
}

TEST_F(IssuerServerTest, OnABrokenDiskNobodyIsAnswered) {
  disk_.fail_from_now_on();
  HttpClient client(url(), "", 1);
  EXPECT_THROW(client.post("/v1/tokens", block(0, pending()), 1000), Unreachable);
  EXPECT_ERROR(ErrorCode::file, server_->wait(1000));
  EXPECT_THROW(client.get("/healthz", 0), Unreachable);
}

}  // namespace
}  // namespace muster::service
