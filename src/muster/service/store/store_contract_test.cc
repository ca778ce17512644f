// Tests that every Store must pass: it holds what was committed, in order, and what was replaced or removed
// is gone, also after it was opened again. Stores with one fault each must fail the same tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "muster/service/store/memory_store_test.h"
#include "muster/service/store/sqlite_store.h"
#include "tests/support/class_name.h"
#include "tests/support/temporary_folder.h"

namespace muster::service {
namespace {

using wire::Buffer;

// Opens the store; each call opens the same one, with what was committed before.
using Open = std::function<std::unique_ptr<Store>()>;

struct Contract {
  const char* name;
  const char* type;  // the class, which tests/architecture/house_rules.py looks for
  // Given a folder of its own, returns what opens the store.
  std::function<Open(const std::filesystem::path&)> make;
};
void PrintTo(const Contract& contract, std::ostream* out) { *out << contract.name; }

// A store that passes everything on to one in memory, which outlives it.
class Lasting : public Store {
 public:
  explicit Lasting(std::shared_ptr<MemoryStore> memory) : memory_(std::move(memory)) {}
  std::vector<Buffer> rows() override { return memory_->rows(); }
  std::optional<Buffer> blob(const std::string& name) override { return memory_->blob(name); }
  void commit(const Commit& changes) override { memory_->commit(changes); }

 protected:
  std::shared_ptr<MemoryStore> memory_;
};

class ForgetsToRemove final : public Lasting {
  using Lasting::Lasting;
  void commit(const Commit& changes) override { memory_->commit({changes.append, changes.put, {}}); }
};
class KeepsTheFirst final : public Lasting {
  using Lasting::Lasting;
  void commit(const Commit& changes) override {
    Commit first{changes.append, {}, changes.remove};
    for (const auto& [name, content] : changes.put) {
      if (!memory_->blob(name)) first.put.emplace_back(name, content);
    }
    memory_->commit(first);
  }
};
class LosesEmptyRows final : public Lasting {
  using Lasting::Lasting;
  void commit(const Commit& changes) override {
    Commit kept{{}, changes.put, changes.remove};
    for (const Buffer& row : changes.append) {
      if (!row.empty()) kept.append.push_back(row);
    }
    memory_->commit(kept);
  }
};
class ForgetsWhenClosed final : public Store {
 public:
  std::vector<Buffer> rows() override { return memory_.rows(); }
  std::optional<Buffer> blob(const std::string& name) override { return memory_.blob(name); }
  void commit(const Commit& changes) override { memory_.commit(changes); }

 private:
  MemoryStore memory_;
};

template <typename T>
std::function<Open(const std::filesystem::path&)> lasting() {
  return [](const std::filesystem::path&) -> Open {
    return [memory = std::make_shared<MemoryStore>()] { return std::make_unique<T>(memory); };
  };
}

std::vector<Contract> contracts() {
  return {{"sqlite", "SqliteStore",
           [](const std::filesystem::path& folder) -> Open {
             return [path = folder / "store.db"] {
               return std::make_unique<SqliteStore>(path, SqliteStore::Access::create_or_open);
             };
           }},
          {"memory", "MemoryStore", lasting<Lasting>()}};
}

// What a store must hold, kept the obvious way.
struct Model {
  std::vector<Buffer> rows;
  std::map<std::string, Buffer> blobs;

  void commit(const Store::Commit& changes) {
    rows.insert(rows.end(), changes.append.begin(), changes.append.end());
    for (const auto& [name, content] : changes.put) blobs[name] = content;
    for (const std::string& name : changes.remove) blobs.erase(name);
  }
};

const std::vector<std::string> kNames{"model", "receipt", "", "a name with spaces, \xc3\xa4 and '"};

Store::Commit random_commit(std::mt19937_64& random) {
  Store::Commit changes;
  const auto content = [&] {
    Buffer bytes(random() % 4 == 0 ? 0 : random() % 3000);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  };
  for (auto i = random() % 4; i > 0; --i) changes.append.push_back(content());
  for (const std::string& name : kNames) {
    if (random() % 4 == 0) {
      changes.put.emplace_back(name, content());
    } else if (random() % 4 == 0) {
      changes.remove.push_back(name);
    }
  }
  return changes;
}

// Whether the store holds what it must after random commits, some of them after it was closed and opened.
bool holds_what_was_committed(const Open& open) {
  std::mt19937_64 random(11);
  Model model;
  std::unique_ptr<Store> store = open();
  for (int i = 0; i < 60; ++i) {
    const Store::Commit changes = random_commit(random);
    store->commit(changes);
    model.commit(changes);
    if (random() % 8 == 0) {
      store.reset();
      store = open();
    }
    if (store->rows() != model.rows) return false;
    for (const std::string& name : kNames) {
      const auto found = model.blobs.find(name);
      if (store->blob(name) != (found == model.blobs.end() ? std::nullopt : std::optional(found->second)))
        return false;
    }
  }
  return true;
}

class StoreContract : public ::testing::TestWithParam<Contract> {
 protected:
  muster::testing::TemporaryFolder folder_;
};

TEST_P(StoreContract, IsTheClassOfTheList) {
  const auto store = GetParam().make(folder_.path())();
  if (std::string(GetParam().type) == "MemoryStore") {
    EXPECT_EQ(muster::testing::class_name(MemoryStore()), GetParam().type);
  } else {
    EXPECT_EQ(muster::testing::class_name(*store), GetParam().type);
  }
}

TEST_P(StoreContract, HoldsWhatWasCommitted) {
  EXPECT_TRUE(holds_what_was_committed(GetParam().make(folder_.path())));
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreContract, ::testing::ValuesIn(contracts()),
                         [](const auto& made) { return std::string(made.param.name); });

TEST(StoreContractSuite, AStoreWithAFaultIsNoticed) {
  EXPECT_FALSE(holds_what_was_committed(lasting<ForgetsToRemove>()("")));
  EXPECT_FALSE(holds_what_was_committed(lasting<KeepsTheFirst>()("")));
  EXPECT_FALSE(holds_what_was_committed(lasting<LosesEmptyRows>()("")));
  EXPECT_FALSE(holds_what_was_committed([] { return std::make_unique<ForgetsWhenClosed>(); }));
}

}  // namespace
}  // namespace muster::service
