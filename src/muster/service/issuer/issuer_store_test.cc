// The issuer's store and logs: whose they are, and what is refused because a part is missing or damaged.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/service/issuer/issuer_fixture_test.h"
#include "muster/wire/hex.h"

namespace muster::service {
namespace {

using wire::Buffer;

class IssuerStore : public IssuerTest {
 protected:
  // Returns the words of the error with which a restart is refused; empty if it is not refused.
  std::string refusal_to_restart() {
    try {
      restart();
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::file);
      return error.what();
    }
  }
};

TEST_F(IssuerStore, AStoreBelongsToOneTaskAndOneIssuer) {
  issuer_.reset();
  const auto open = [&](const TaskDocument& task, wire::SigningKey identity) -> std::string {
    try {
      Issuer other(task, std::move(identity), disk_.store(), disk_.logs(), "issuer.db", stored_keys());
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::file);
      return error.what();
    }
  };
  const std::string other_task = open(small_task(6), issuer_identity());
  for (const std::string& part : {std::string("is the store of another task"), wire::hex_of(task()),
                                  wire::hex_of(small_task(6).name())}) {
    EXPECT_NE(other_task.find(part), std::string::npos) << other_task;
  }
  EXPECT_NE(open(small_task(), shuffler_identity()).find("another key"), std::string::npos);
  EXPECT_EQ(open(small_task(), issuer_identity()), "");
}

TEST_F(IssuerStore, AStoreWithAPartMissingIsRefused) {
  give_tokens(1, 2);
  issuer().publish();
  issuer_.reset();
  const Disk::Image whole = disk_.image();
  const auto refusal = [&](const std::function<void()>& damage) {
    disk_.restore(whole);
    damage();
    return refusal_to_restart();
  };
  const auto without = [&](const char* name) {
    return refusal([&] { disk_.memory().commit({.append = {}, .put = {}, .remove = {name}}); });
  };
  const auto replaced = [&](const char* name, const Buffer& content) {
    return refusal([&] { disk_.memory().commit({.append = {}, .put = {{name, content}}, .remove = {}}); });
  };
  EXPECT_EQ(refusal([] {}), "");
  issuer_.reset();
  const Buffer state = *disk_.memory().blob("issuer"), directory = *disk_.memory().blob("directory");
  EXPECT_NE(without("issuer"), "");
  EXPECT_NE(without("directory"), "");
  EXPECT_NE(without("key-2"), "");
  EXPECT_NE(replaced("key-2", Buffer{1, 2, 3}), "");
  EXPECT_NE(replaced("key-2", *disk_.memory().blob("key-1")), "");
  for (std::size_t i = 0; i < 33; ++i) {  // version and task
    Buffer changed = state;
    changed[i] ^= 1;
    EXPECT_NE(replaced("issuer", changed), "") << i;
  }
  EXPECT_NE(replaced("issuer", Buffer(state.begin(), state.end() - 1)), "");
  Buffer changed = directory;
  changed[40] ^= 1;
  EXPECT_NE(replaced("directory", changed), "");
  EXPECT_NE(refusal([&] { disk_.logs().remove("tokens-1"); }), "");
  EXPECT_NE(refusal([&] { disk_.memory().stored_rows().clear(); }).find("fewer devices"), std::string::npos);
}

// The log of a round is replaced by one that lacks tokens, or has one twice.
TEST_F(IssuerStore, ALogWithTokensMissingOrTwiceIsRefused) {
  give_tokens(1, 2);
  issuer().publish();
  issuer_.reset();
  std::vector<Buffer> records;
  disk_.logs().open("tokens-1", 64)->read_all([&](wire::Bytes r) {
    records.emplace_back(r.begin(), r.end());
  });
  ASSERT_EQ(records.size(), 2u);
  const auto refusal = [&](const std::vector<Buffer>& written) {
    issuer_.reset();
    const auto log = disk_.logs().create("tokens-1", 64);
    for (const Buffer& record : written) log->append(record);
    log->sync();
    return refusal_to_restart();
  };
  EXPECT_EQ(refusal(records), "");
  EXPECT_NE(refusal({records[0]}).find("has lost tokens of round 1: 1 are left of 2"), std::string::npos);
  EXPECT_NE(refusal({records[0], records[0]}).find("two tokens of one device"), std::string::npos);
  EXPECT_NE(refusal({records[0], Buffer(64, 9)}).find("unknown device"), std::string::npos);
}

}  // namespace
}  // namespace muster::service
