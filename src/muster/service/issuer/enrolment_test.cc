// The list of devices that an operator writes, and the set of those that are enrolled.
#include "muster/service/issuer/enrolment.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/service/store/disk_test.h"
#include "muster/service/store/memory_store_test.h"
#include "muster/wire/hex.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::IdentityKey;

IdentityKey key(std::uint8_t first, std::uint8_t last = 0) {
  IdentityKey key{};
  key.front() = first;
  key.back() = last;
  return key;
}
std::string text_of(const IdentityKey& key) { return wire::hex_of(key); }

// Returns the words of the error with which the text is refused; empty if it is accepted.
std::string refusal(const std::string& text) {
  try {
    read_enrolment(text, "devices.txt");
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::file);
    EXPECT_EQ(error.key(), "devices.txt");
    return error.what();
  }
}

TEST(EnrolmentFile, HasAKeyALineWithCommentsAndEmptyLines) {
  const std::string upper = "AB" + text_of(key(0)).substr(2);
  const std::string text = "# the devices of March\n\n" + text_of(key(1)) + "\n  " + text_of(key(2)) +
                           " \t# the second one\r\n \n#" + text_of(key(3)) + "\n" + upper;
  EXPECT_EQ(read_enrolment(text, ""), (std::vector{key(1), key(2), key(0xab)}));
  EXPECT_TRUE(read_enrolment("", "").empty());
  EXPECT_TRUE(read_enrolment("#\n\n", "").empty());
}

TEST(EnrolmentFile, ALineThatIsNoKeyIsNamed) {
  const std::string good = text_of(key(1)) + "\n", digits = text_of(key(2));
  const auto refused = [&](const std::string& line) { return refusal(good + "\n" + line + "\n" + good); };
  EXPECT_NE(refused("").find(", line 4: has the key of line 1 again"), std::string::npos) << refused("");
  const std::vector<std::string> lines{digits.substr(1),
                                       digits + "0",
                                       "00",
                                       "0x" + digits,
                                       digits.substr(2) + "0g",
                                       "-1" + digits.substr(2),
                                       digits + " " + text_of(key(3)),
                                       std::string(64, ' ') + "z",
                                       digits.substr(0, 62) + std::string(2, '\0')};
  for (const std::string& line : lines) {
    EXPECT_TRUE(refused(line).starts_with("devices.txt, line 3: has ")) << line << ": " << refused(line);
  }
}

TEST(EnrolmentFile, OfSeveralDoubledKeysTheFirstLineIsNamed) {
  std::string text;
  for (const std::uint8_t number : std::initializer_list<std::uint8_t>{7, 3, 9, 3, 7, 7})
    text += text_of(key(number)) + "\n";
  EXPECT_NE(refusal(text).find(", line 4: has the key of line 2 again"), std::string::npos) << refusal(text);
}

TEST(Enrolment, OnlyGrowsAndKeepsItsNumbers) {
  MemoryStore store;
  Enrolment enrolment(store, "store");
  EXPECT_EQ(enrolment.size(), 0u);
  EXPECT_FALSE(enrolment.number_of(key(1)).has_value());
  EXPECT_EQ(enrolment.add({}), 0u);
  const std::vector first{key(5), key(1), key(5), key(1, 1)};
  EXPECT_EQ(enrolment.add(first), 3u);  // a device that is given twice is one
  std::vector<std::pair<IdentityKey, std::uint32_t>> numbers;
  for (const IdentityKey& device : {key(5), key(1), key(1, 1)}) {
    numbers.emplace_back(device, enrolment.number_of(device).value());
  }
  const std::vector second{key(1), key(3), key(0)};
  EXPECT_EQ(enrolment.add(second), 2u);
  EXPECT_EQ(enrolment.add(second), 0u);
  EXPECT_EQ(enrolment.size(), 5u);
  const Enrolment again(store, "store");
  EXPECT_EQ(again.size(), 5u);
  for (const auto& [device, number] : numbers) {
    EXPECT_EQ(enrolment.number_of(device), number);
    EXPECT_EQ(again.number_of(device), number);
  }
  for (const IdentityKey& device : second) EXPECT_TRUE(again.number_of(device).has_value());
  EXPECT_FALSE(again.number_of(key(1, 2)).has_value());
  EXPECT_FALSE(again.number_of(key(255, 255)).has_value());
}

TEST(Enrolment, FindsEachOfManyDevices) {
  std::mt19937_64 random(11);
  std::vector<IdentityKey> devices(100'000);
  for (IdentityKey& device : devices) {
    for (std::uint8_t& byte : device) byte = static_cast<std::uint8_t>(random());
  }
  MemoryStore store;
  Enrolment enrolment(store, "store");
  EXPECT_EQ(enrolment.add(std::span(devices).first(70'000)), 70'000u);
  EXPECT_EQ(enrolment.add(devices), 30'000u);
  EXPECT_EQ(store.rows().size(), 3u);
  const Enrolment again(store, "store");
  std::vector<bool> seen(devices.size());
  for (IdentityKey device : devices) {
    const auto number = again.number_of(device);
    ASSERT_TRUE(number.has_value());
    ASSERT_EQ(number, enrolment.number_of(device));
    ASSERT_FALSE(seen[*number]);
    seen[*number] = true;
    device.back() ^= 1;
    ASSERT_FALSE(again.number_of(device).has_value());
  }
}

TEST(Enrolment, ADeviceIsEnrolledWhollyOrNotAtAllIfTheProcessIsKilled) {
  for (const auto when : {Disk::When::before, Disk::When::after}) {
    Disk disk;
    disk.kill_after(0, when);
    const std::vector added{key(1), key(2)};
    EXPECT_THROW(Enrolment(disk.store(), "store").add(added), Killed);
    disk.crash([](std::size_t unsynced) { return unsynced; });
    Enrolment enrolment(disk.store(), "store");
    EXPECT_EQ(enrolment.size(), when == Disk::When::before ? 0u : 2u);
    enrolment.add(added);
    EXPECT_EQ(Enrolment(disk.store(), "store").size(), 2u);
  }
}

TEST(Enrolment, AStoreWithOtherRowsIsRefused) {
  const auto is_refused = [](const std::vector<Buffer>& rows) {
    MemoryStore store;
    store.commit({.append = rows, .put = {}, .remove = {}});
    try {
      const Enrolment enrolment(store, "issuer.db");
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::file);
      EXPECT_EQ(error.key(), "issuer.db");
      return true;
    }
  };
  const auto row = [](std::uint8_t version, std::size_t bytes) {
    Buffer made(1 + bytes);
    made.front() = version;
    return made;
  };
  EXPECT_FALSE(is_refused({row(1, 32)}));
  EXPECT_TRUE(is_refused({row(1, 32), row(1, 32)}));  // one device twice
  EXPECT_TRUE(is_refused({row(1, 64)}));
  EXPECT_TRUE(is_refused({row(2, 32)}));
  EXPECT_TRUE(is_refused({row(1, 31)}));
  EXPECT_TRUE(is_refused({row(1, 33)}));
  EXPECT_TRUE(is_refused({row(1, 0)}));
  EXPECT_TRUE(is_refused({Buffer{}}));
}

}  // namespace
}  // namespace muster::service
