// An issuer of the small deployment on a disk for tests, with six devices and the keys of three rounds. Call
// from the thread of the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "muster/service/issuer/issuer.h"
#include "muster/service/issuer/small_deployment_test.h"
#include "muster/service/store/disk_test.h"

namespace muster::service {

inline constexpr std::uint8_t kDevices = 6;  // enrolled ones

class IssuerTest : public ::testing::Test {
 protected:
  IssuerTest() {
    restart();
    issuer().enrol(devices(kDevices));
    issuer().prepare(3);
  }

  Issuer& issuer() { return *issuer_; }
  // Ends the process, whose machine then dies, and starts another one on the same disk.
  void restart() {
    issuer_.reset();
    disk_.crash([](std::size_t unsynced) { return unsynced; });
    issuer_ = std::make_unique<Issuer>(small_task(), issuer_identity(), disk_.store(), disk_.logs(),
                                       "issuer.db", stored_keys());
  }

  const wire::Hash& task() const { return task_.name(); }
  wire::KeyDirectory directory() { return read(issuer().keys()); }
  wire::PendingToken ask(std::uint64_t round) { return begin(directory(), round); }
  Issuer::Tokens answer(std::uint8_t device, std::vector<wire::TokenBlock::Entry> entries) {
    return issuer().tokens(block_of(device, std::move(entries), task()));
  }
  Answer answer(std::uint8_t device, std::uint64_t round, const wire::PendingToken& pending) {
    return answer(device, {{round, pending.request}}).answer;
  }
  // The tokens of the round, as the issuer counts them now.
  std::uint64_t issued(std::uint64_t round) {
    issuer().publish();
    const auto entries = directory().entries;
    const auto found = std::ranges::find(entries, round, &wire::KeyDirectory::Entry::round);
    return found == entries.end() ? ~0ull : found->issued;
  }
  void give_tokens(std::uint64_t round, std::uint8_t count) {
    for (std::uint8_t device = 0; device < count; ++device) {
      EXPECT_EQ(answer(device, round, ask(round)), Answer::stored);
    }
  }
  std::optional<wire::Buffer> close(std::uint64_t round) {
    return issuer().close_issuance(order_to_close(round, task()));
  }

  TaskDocument task_ = small_task();
  Disk disk_;
  std::unique_ptr<Issuer> issuer_;
};

}  // namespace muster::service
