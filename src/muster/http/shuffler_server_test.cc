// The shuffler behind its server, reached by HTTP: what is stored and what is not, with several clients at a
// time.
#include "muster/http/shuffler_server.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/http/http_client.h"
#include "muster/http/open_request.h"
#include "muster/http/raw_connection_test.h"
#include "muster/http/remote_shuffler.h"
#include "muster/service/model/model_blob.h"
#include "muster/service/shuffler/shuffler_fixture_test.h"
#include "muster/wire/receipt.h"
#include "muster/wire/round_notice.h"

namespace muster::service {
namespace {

using wire::Buffer;

// A shuffler with its disk and clock, whose first round is open before the server begins to call it.
struct OpenedRig : ShufflerFixture {
  explicit OpenedRig(std::uint64_t tokens = 12) {
    issuer.issued = tokens;
    open_round();
  }
};

class ShufflerServerTest : public ::testing::Test {
 protected:
  std::string devices_url() const { return "http://127.0.0.1:" + std::to_string(server_.devices_port()); }
  std::string aggregator_url() const {
    return "http://127.0.0.1:" + std::to_string(server_.aggregator_port());
  }
  RemoteShufflerForDevices device() const { return {devices_url(), "", 1000}; }
  RemoteShufflerForAggregator aggregator() const {
    return {aggregator_url(), "", ShufflerFixture::kSizes.inner()};
  }

  // Waits until the round is closed. The clock stands still otherwise.
  std::optional<Buffer> end_round() {
    rig_.clock.advance(static_cast<std::int64_t>(ShufflerFixture::kSeconds) * 1000);
    auto shuffler = aggregator();
    for (int i = 0; i < 200; ++i) {
      if (auto manifest = shuffler.manifest(rig_.descriptor.round)) return manifest;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return std::nullopt;
  }

  // Waits for the shuffler's offer, and writes the second round into the ledger.
  wire::Offer write_second_round(const Buffer& model) {
    auto shuffler = aggregator();
    wire::Offer offer;
    for (int i = 0; i < 200 && offer.key == wire::HpkePublicKey{}; ++i) {
      offer = wire::read_offer(shuffler.offer(), rig_.shuffler_key.identity()).value();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const OpenEntry open{.round = 2,
                         .update = 1,
                         .model = wire::hash_of({model}),
                         .token_key = IssuerDouble::key_of(2).public_key().id(),
                         .shuffler = offer.key,
                         .aggregator = rig_.round_key.public_key()};
    rig_.ledger.append(open);
    rig_.describe(open);
    return offer;
  }

  OpenedRig rig_;
  ShufflerServer server_{*rig_.shuffler, rig_.clock, {.threads = 2}};
};

TEST_F(ShufflerServerTest, ARoundGoesOverTheWire) {
  auto device = this->device();
  const auto round = device.round();
  ASSERT_TRUE(round);
  EXPECT_EQ(round->remaining_ms, static_cast<std::int64_t>(ShufflerFixture::kSeconds) * 1000);
  EXPECT_EQ(
      wire::read_descriptor(round->descriptor, rig_.aggregator.identity(), rig_.shuffler_key.identity()),
      rig_.descriptor);
  EXPECT_EQ(device.blob(rig_.descriptor.model), rig_.model);
  EXPECT_FALSE(device.blob({7}));
  for (int i = 0; i < 11; ++i) {
    const Buffer upload = rig_.report(static_cast<std::uint8_t>(i));
    EXPECT_EQ(device.upload(upload), Answer::stored);
    EXPECT_EQ(device.upload(upload), Answer::stored);
  }
  EXPECT_EQ(server_.seen().open, 1u);
  EXPECT_FALSE(server_.seen().closed);
  const Buffer late = rig_.report(50);
  auto shuffler = aggregator();
  EXPECT_FALSE(shuffler.manifest(1));
  EXPECT_FALSE(shuffler.batch(1, 0, 1));
  const auto manifest = end_round();
  ASSERT_TRUE(manifest);
  EXPECT_FALSE(device.round());
  EXPECT_EQ(device.upload(late), Answer::over);
  const auto stated = wire::read_manifest(*manifest, rig_.shuffler_key.identity()).value();
  EXPECT_EQ(stated.heard, 11u);
  EXPECT_EQ(server_.seen().open, 0u);
  EXPECT_EQ(server_.seen().closed, stated);
  const Buffer batch = shuffler.batch(1, 0, 11).value();
  EXPECT_EQ(wire::hash_of({batch}), stated.batch);
  EXPECT_FALSE(shuffler.batch(1, 0, 12));
  EXPECT_FALSE(shuffler.batch(1, 11, 1));
  EXPECT_EQ(wire::read_offer(shuffler.offer(), rig_.shuffler_key.identity())->opened, 1u);
  EXPECT_TRUE(wire::read_key_directory(shuffler.keys(), rig_.issuer_key.identity()));
  // The next round is opened over the wire, too.
  SignedManifest kept;
  std::ranges::copy(*manifest, kept.begin());
  rig_.ledger.append(ReleaseEntry{1, 0.1, wire::hash_of({rig_.model}), kept});
  wire::Receipt receipt{rig_.task.name(), 1, wire::hash_of({*manifest}), wire::Receipt::Outcome::released,
                        rig_.ledger.head()};
  EXPECT_FALSE(shuffler.receipt(wire::sign_receipt(receipt, rig_.issuer_key)));
  EXPECT_TRUE(shuffler.receipt(wire::sign_receipt(receipt, rig_.aggregator)));
  EXPECT_FALSE(shuffler.batch(1, 0, 11));
  const Buffer model{5, 6};
  const wire::Offer offer = write_second_round(model);
  const auto rows = rig_.ledger_store.rows();
  const std::vector<Buffer> tail{rows.begin() + static_cast<std::ptrdiff_t>(offer.entries), rows.end()};
  EXPECT_FALSE(shuffler.open(rig_.offered, offer.entries, tail));
  shuffler.put_blob(model);
  EXPECT_TRUE(shuffler.open(rig_.offered, offer.entries, tail));
  EXPECT_EQ(server_.seen().open, 2u);
  EXPECT_EQ(server_.seen().closed, stated);
  EXPECT_TRUE(device.round());
  EXPECT_EQ(device.blob(rig_.descriptor.model), model);
  EXPECT_EQ(device.upload(late), Answer::over);
}

TEST_F(ShufflerServerTest, DevicesAreToldThatTheTaskIsOver) {
  auto device = this->device();
  auto shuffler = aggregator();
  const Buffer over = wire::sign_task_over({rig_.task.name(), 1}, rig_.aggregator);
  EXPECT_FALSE(shuffler.end(over));
  EXPECT_FALSE(device.round()->descriptor.empty());
  ASSERT_TRUE(end_round());
  EXPECT_FALSE(shuffler.end(wire::sign_task_over({rig_.task.name(), 1}, rig_.shuffler_key)));
  EXPECT_FALSE(device.round());
  EXPECT_TRUE(shuffler.end(over));
  EXPECT_EQ(device.round()->over, over);
}

TEST_F(ShufflerServerTest, MetricsTellNothingOfARoundThatIsOpen) {
  HttpClient asking(aggregator_url(), "");
  const auto metrics = [&] {
    const auto answer = asking.get("/metrics", 100'000);
    EXPECT_EQ(answer.status, 200);
    return std::string(answer.body.begin(), answer.body.end());
  };
  const auto has = [](const std::string& text, const std::string& line) {
    return text.find("\n" + line + "\n") != text.npos;
  };
  auto device = this->device();
  const std::string before = metrics();
  EXPECT_TRUE(has(before, "muster_shuffler_open_round 1"));
  for (std::uint8_t i = 0; i < 11; ++i) {
    EXPECT_EQ(device.upload(rig_.report(i)), Answer::stored);
    EXPECT_EQ(device.upload({}), Answer::refused);
    EXPECT_EQ(metrics(), before);
  }
  ASSERT_TRUE(end_round());
  EXPECT_EQ(device.upload(rig_.report(50)), Answer::over);
  const std::string after = metrics();
  for (const char* line :
       {"muster_shuffler_open_round 0", "muster_shuffler_last_heard_devices 11",
        "muster_shuffler_uploads_total{answer=\"201\"} 11",
        "muster_shuffler_uploads_total{answer=\"400\"} 11", "muster_shuffler_uploads_total{answer=\"410\"} 1",
        "muster_shuffler_uploads_total{answer=\"503\"} 0",
        "muster_shuffler_rounds_total{outcome=\"released\"} 1",
        "muster_shuffler_rounds_total{outcome=\"destroyed\"} 0",
        "muster_shuffler_uploads_rejected_total{reason=\"length\"} 11",
        "muster_shuffler_uploads_rejected_total{reason=\"token\"} 0"}) {
    EXPECT_TRUE(has(after, line)) << line << "\n" << after;
  }
  EXPECT_EQ(HttpClient(devices_url(), "").get("/metrics", 0).status, 404);
}

TEST_F(ShufflerServerTest, UploadsOfManyConnectionsAreAllStored) {
  constexpr std::size_t kThreads = 4, kEach = 25;
  std::vector<Buffer> uploads;
  for (std::size_t i = 0; i < kThreads * kEach; ++i)
    uploads.push_back(rig_.report(static_cast<std::uint8_t>(i)));
  // The issuer has said that twelve tokens were issued, so the round ends with the twelfth device.
  std::atomic<std::size_t> stored{0}, over{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      auto mine = device();
      for (const Buffer& upload : std::span(uploads).subspan(t * kEach, kEach)) {
        const Answer answer = mine.upload(upload);
        (answer == Answer::stored ? stored : over) += 1;
        EXPECT_TRUE(answer == Answer::stored || answer == Answer::over);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stored, 12u);
  EXPECT_EQ(over, kThreads * kEach - 12);
  const auto manifest = end_round();
  ASSERT_TRUE(manifest);
  const auto stated = wire::read_manifest(*manifest, rig_.shuffler_key.identity()).value();
  EXPECT_EQ(stated.heard, 12u);
  EXPECT_EQ(stated.reports, 12u);
}

TEST_F(ShufflerServerTest, ATokenThatComesAThousandTimesAtOnceIsOneDevice) {
  constexpr int kThreads = 8, kEach = 125;
  // One device, and one that has copied its token: both are told that theirs is stored.
  const wire::Token token = rig_.token();
  Buffer payload(ShufflerFixture::kPayload);
  const Buffer first = wire::seal_report(rig_.keys(), token, payload);
  payload[0] = 1;
  const Buffer other = wire::seal_report(rig_.keys(), token, payload);
  std::atomic<int> stored{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      auto mine = device();
      for (int i = 0; i < kEach; ++i) {
        if (mine.upload(t % 2 == 0 ? first : other) == Answer::stored) ++stored;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stored, kThreads * kEach);
  const auto manifest = end_round();
  ASSERT_TRUE(manifest);
  const auto stated = wire::read_manifest(*manifest, rig_.shuffler_key.identity()).value();
  EXPECT_EQ(stated.heard, 1u);
  EXPECT_EQ(stated.outcome, wire::Manifest::Outcome::destroyed);
  EXPECT_EQ(stated.rejected[static_cast<std::size_t>(wire::Rejected::repeated)],
            static_cast<std::uint64_t>(kThreads / 2 * kEach));
}

// Forty devices send at once to a server in whose queue two uploads may wait, while others hold connections
// on which nothing comes, or half a request. Every answer is 201 or 503, devices that were told to come again
// do so, and all that were acknowledged are in the batch.
TEST(ShufflerServerOverload, IsAnsweredBusyAndLosesNothing) {
  constexpr int kDevices = 40, kIdle = 300;
  OpenedRig rig(kDevices);
  ShufflerServer server(*rig.shuffler, rig.clock, {.threads = 2, .queue = 2});
  const std::string url = "http://127.0.0.1:" + std::to_string(server.devices_port());
  std::vector<Buffer> uploads;
  for (int i = 0; i < kDevices; ++i) uploads.push_back(rig.report(static_cast<std::uint8_t>(i)));
  std::deque<RawConnection> others;
  for (int i = 0; i < kIdle; ++i) {
    others.emplace_back(server.devices_port());
    if (i % 2 == 0) others.back().send("POST /v1/upload HTTP/1.1\r\nContent-Length: 500\r\n\r\nx");
  }
  std::atomic<int> busy{0}, others_answers{0};
  std::vector<std::thread> devices;
  for (const Buffer& upload : uploads) {
    devices.emplace_back([&] {
      RemoteShufflerForDevices device(url, "", 1000);
      Answer answer = device.upload(upload);
      for (; answer == Answer::busy; answer = device.upload(upload)) ++busy;
      if (answer != Answer::stored) ++others_answers;
    });
  }
  for (std::thread& device : devices) device.join();
  EXPECT_GT(busy, 0);
  EXPECT_EQ(others_answers, 0);
  RemoteShufflerForAggregator aggregator("http://127.0.0.1:" + std::to_string(server.aggregator_port()), "",
                                         ShufflerFixture::kSizes.inner());
  std::optional<Buffer> manifest;
  for (int i = 0; i < 200 && !manifest; ++i) {
    manifest = aggregator.manifest(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ASSERT_TRUE(manifest);
  EXPECT_EQ(wire::read_manifest(*manifest, rig.shuffler_key.identity())->reports,
            static_cast<std::uint64_t>(kDevices));
}

TEST_F(ShufflerServerTest, WhatIsNoUploadIsRefusedAndWhatIsNoPathNotFound) {
  auto device = this->device();
  const Buffer good = rig_.report(1);
  EXPECT_EQ(device.upload({}), Answer::refused);
  EXPECT_EQ(device.upload(Buffer{1}), Answer::refused);
  EXPECT_EQ(device.upload(Buffer(good.begin(), good.end() - 1)), Answer::refused);
  Buffer changed = good;
  changed[100] ^= 1;
  EXPECT_EQ(device.upload(changed), Answer::refused);
  HttpClient devices(devices_url(), ""), aggregator(aggregator_url(), "");
  Buffer longer = good;
  longer.push_back(0);
  EXPECT_EQ(devices.post("/v1/upload", longer, 0).status, 400);
  EXPECT_EQ(devices.post("/v1/upload", Buffer(std::size_t{10} << 20), 0).status, 400);
  for (const char* path :
       {"/", "/v1/offer", "/v1/manifest/1", "/v1/batch/1/0/1", "/v1/blob/", "/v1/blob/xyz"}) {
    EXPECT_EQ(devices.get(path, 1000).status, 404) << path;
  }
  for (const char* path :
       {"/", "/v1/round", "/v1/upload", "/v1/manifest/", "/v1/manifest/-1", "/v1/manifest/1/2",
        "/v1/batch/1/0", "/v1/batch/1/0/18446744073709551615", "/v1/batch/1/0/1x"}) {
    EXPECT_EQ(aggregator.get(path, 1000).status, 404) << path;
  }
  EXPECT_EQ(aggregator.post("/v1/open", Buffer(312), 0).status, 400);
  EXPECT_EQ(aggregator.post("/v1/open", Buffer(400), 0).status, 400);
  EXPECT_EQ(aggregator.post("/v1/open", Buffer(313), 0).status, 409);
  EXPECT_EQ(aggregator.post("/v1/receipt", Buffer(170), 0).status, 400);
  EXPECT_EQ(aggregator.get("/healthz", 0).status, 200);
  EXPECT_EQ(device.upload(good), Answer::stored);
}

// Otherwise the aggregator could tell from the time of an answer that an upload has come.
TEST_F(ShufflerServerTest, TheAggregatorDoesNotWaitForUploadsToBeStored) {
  std::promise<void> reached, done;
  rig_.disk.before_sync([&] {
    reached.set_value();
    done.get_future().wait();
  });
  std::thread sender([&, upload = rig_.report(1)] { EXPECT_EQ(device().upload(upload), Answer::stored); });
  reached.get_future().wait();
  HttpClient aggregator(aggregator_url(), "", 5);
  for (const char* path : {"/healthz", "/metrics", "/v1/offer"}) {
    EXPECT_EQ(aggregator.get(path, 100'000).status, 200) << path;
  }
  for (const char* path : {"/v1/manifest/1", "/v1/batch/1/0/1"}) {
    EXPECT_EQ(aggregator.get(path, 100'000).status, 404) << path;
  }
  done.set_value();
  sender.join();
  rig_.disk.before_sync({});
}

// The answer comes before the body, so the server has not read it.
TEST_F(ShufflerServerTest, ABodyThatIsTooLongIsRefusedUnread) {
  const auto status_of = [](std::uint16_t port, const std::string& path, std::size_t length) {
    RawConnection connection(port);
    connection.send("POST " + path +
                    " HTTP/1.1\r\nHost: shuffler\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n");
    return connection.rest().substr(0, 12);
  };
  const std::size_t upload = ShufflerFixture::kSizes.upload();
  for (const std::size_t length : {upload + 1, std::size_t{10} << 20}) {
    EXPECT_EQ(status_of(server_.devices_port(), "/v1/upload", length), "HTTP/1.1 400") << length;
  }
  for (const auto& [path, length] : {std::pair<const char*, std::size_t>{"/v1/receipt", wire::kReceipt + 1},
                                     {"/v1/end", wire::kRoundNotice + 1},
                                     {"/v1/blob", kMaxBlob + 1},
                                     {"/v1/open", longest_open_request(30) + 1}}) {
    EXPECT_EQ(status_of(server_.aggregator_port(), path, length), "HTTP/1.1 400") << path;
  }
}

TEST(ShufflerServerOnABrokenDisk, NobodyIsAnsweredAndTheErrorComesOut) {
  ShufflerFixture rig;
  rig.open_round();
  const Buffer upload = rig.report(1);
  ShufflerServer server(*rig.shuffler, rig.clock, {});
  rig.disk.fail_from_now_on();
  HttpClient client("http://127.0.0.1:" + std::to_string(server.devices_port()), "", 1);
  EXPECT_THROW(client.post("/v1/upload", upload, 0), Unreachable);
  EXPECT_ERROR(ErrorCode::file, server.wait(1000));
}

}  // namespace
}  // namespace muster::service
