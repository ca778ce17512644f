// A shuffler that starts again on the uploads of thousands of devices, which it opens on all cores.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/random/os_bytes.h"
#include "muster/service/shuffler/shuffler_fixture_test.h"

namespace muster::service {
namespace {

constexpr std::uint64_t kUploads = 4500;  // more than are opened at once

// A fixture whose shuffler has stopped, with reports in the log of the open round. The payload of report i
// begins with the byte i % 251. Tokens are random bytes, because a log that is read again is not verified a
// second time.
struct StoppedRig : ShufflerFixture {
  StoppedRig() {
    issuer.issued = 2 * kUploads;
    open_round();
    shuffler.reset();
    log = disk.logs().open("uploads-1", kSizes.upload());
    wire::Token token{};
    for (std::uint64_t i = 0; i < kUploads; ++i) {
      random::fill_from_os(token);
      wire::Buffer payload(kPayload);
      payload[0] = static_cast<std::uint8_t>(i % 251);
      log->append(wire::seal_report(keys(), token, payload));
    }
  }
  std::unique_ptr<Log> log;
};

TEST(ShufflerRestart, EveryUploadIsHeardAgain) {
  StoppedRig rig;
  rig.log->sync();
  rig.log.reset();
  rig.shuffler = rig.start();
  rig.shuffler->tick();
  EXPECT_EQ(rig.shuffler->heard(), kUploads);
  rig.clock.advance(1000 * ShufflerFixture::kSeconds);
  std::vector<int> firsts = rig.batch(), expected;
  for (std::uint64_t i = 0; i < kUploads; ++i) expected.push_back(static_cast<int>(i % 251));
  std::ranges::sort(firsts);
  std::ranges::sort(expected);
  EXPECT_EQ(firsts, expected);
}

TEST(ShufflerRestart, AnUploadThatDoesNotOpenIsRefused) {
  StoppedRig rig;
  rig.log->append(wire::Buffer(ShufflerFixture::kSizes.upload(), 1));
  rig.log->sync();
  rig.log.reset();
  const Error error = error_of([&] { rig.start(); });
  EXPECT_EQ(error.code(), ErrorCode::file);
  EXPECT_NE(std::string(error.what()).find("uploads-1"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace muster::service
