// A disk in memory for tests, on which one role keeps a store and its logs. The role can be killed before or
// after any operation on the disk, which then loses what a machine that dies may lose.
//
// The disk outlives the role. After an operation has thrown Killed, call crash(), and make the role anew from
// store() and logs(). Objects that the role had from the disk must be gone by then. A disk belongs to one
// thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/service/store/log_folder.h"
#include "muster/service/store/memory_log_test.h"
#include "muster/service/store/memory_store_test.h"

namespace muster::service {

// Thrown when the process of the role is killed. It is no std::exception, so that no handler takes it for an
// error.
struct Killed {};

class Disk {
 public:
  Disk() : store_(*this), logs_(*this) {}
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  Store& store() { return store_; }
  LogFolder& logs() { return logs_; }

  // The number of operations so far that change the disk or make a change durable.
  std::uint64_t operations() const { return operations_; }
  // Kills the process at the operation that follows after `further` others: before it is done, or after.
  enum class When { before, after };
  void kill_after(std::uint64_t further, When when) { kill_ = {operations_ + further, when}; }
  void spare() { kill_.reset(); }
  // Every operation fails from now on, as on a disk that is full or broken.
  void fail_from_now_on() { fails_ = true; }
  // What a disk may fail to do although it says that it did. A test turns one of them on to show that it
  // would notice a role that forgets to ask the disk for this.
  struct Faults {
    bool forgets_syncs = false;  // sync() does nothing
    std::string keeps{};         // the blob of this name is not removed
    std::string forgets{};       // a commit that puts this blob, and all after it, is lost in the next crash
  };
  void break_promises(Faults faults) { faults_ = std::move(faults); }
  // Is called before a log is synced, as if the disk took that long.
  void before_sync(std::function<void()> wait) { before_sync_ = std::move(wait); }

  // Loses the last records of each log, as a machine does that dies. `lost` is given the number of records
  // that were not synced, and returns how many of them are lost.
  void crash(const std::function<std::size_t(std::size_t)>& lost) {
    if (before_forgotten_) restore(*std::exchange(before_forgotten_, std::nullopt));
    for (auto& [name, log] : logs_of_all_) log->crash(lost(log->unsynced()));
  }

  // What is on the disk, for a backup that is restored later. No log may be in use meanwhile.
  struct Image {
    MemoryStore store;
    std::map<std::string, MemoryLog> logs;
  };
  Image image() const {
    Image image{memory_, {}};
    for (const auto& [name, log] : logs_of_all_) image.logs.emplace(name, *log);
    return image;
  }
  void restore(const Image& image) {
    memory_ = image.store;
    logs_of_all_.clear();
    for (const auto& [name, log] : image.logs) logs_of_all_[name] = std::make_shared<MemoryLog>(log);
  }
  // The store itself, for tests that look at it. Its operations are never killed.
  MemoryStore& memory() { return memory_; }

 private:
  template <typename Work>
  void operate(const Work& work) {
    const bool now = kill_ && kill_->first == operations_;
    ++operations_;
    if (fails_) throw Error(ErrorCode::file, "the disk", "", "", "cannot be written");
    if (now && kill_->second == When::before) throw Killed{};
    work();
    if (now) throw Killed{};
  }

  void commit(Store::Commit changes) {
    std::erase(changes.remove, faults_.keeps);
    const auto is_forgotten = [&](const auto& put) { return put.first == faults_.forgets; };
    if (!before_forgotten_ && std::ranges::any_of(changes.put, is_forgotten)) before_forgotten_ = image();
    memory_.commit(changes);
  }

  class KilledStore final : public Store {
   public:
    explicit KilledStore(Disk& disk) : disk_(disk) {}
    std::vector<wire::Buffer> rows() override { return disk_.memory_.rows(); }
    std::optional<wire::Buffer> blob(const std::string& name) override { return disk_.memory_.blob(name); }
    void commit(const Commit& changes) override {
      disk_.operate([&] { disk_.commit(changes); });
    }

   private:
    Disk& disk_;
  };

  class KilledLog final : public Log {
   public:
    KilledLog(Disk& disk, std::shared_ptr<MemoryLog> log) : disk_(disk), log_(std::move(log)) {}
    std::size_t width() const override { return log_->width(); }
    std::uint64_t size() const override { return log_->size(); }
    void append(wire::Bytes record) override { log_->append(record); }
    void sync() override {
      disk_.operate([&] {
        if (disk_.before_sync_) disk_.before_sync_();
        if (!disk_.faults_.forgets_syncs) log_->sync();
      });
    }
    void read(std::uint64_t first, std::uint64_t count,
              const std::function<void(wire::Bytes)>& take) override {
      log_->read(first, count, take);
    }

   private:
    Disk& disk_;
    std::shared_ptr<MemoryLog> log_;
  };

  class KilledFolder final : public LogFolder {
   public:
    explicit KilledFolder(Disk& disk) : disk_(disk) {}
    std::unique_ptr<Log> create(const std::string& name, std::size_t width) override {
      disk_.operate([&] { disk_.logs_of_all_[name] = std::make_shared<MemoryLog>(width); });
      return std::make_unique<KilledLog>(disk_, disk_.logs_of_all_.at(name));
    }
    std::unique_ptr<Log> open(const std::string& name, std::size_t width) override {
      const auto found = disk_.logs_of_all_.find(name);
      if (found == disk_.logs_of_all_.end() || found->second->width() != width) {
        throw Error(ErrorCode::file, name, "", "", "cannot be opened");
      }
      return std::make_unique<KilledLog>(disk_, found->second);
    }
    std::vector<std::string> names() override {
      std::vector<std::string> names;
      for (const auto& [name, log] : disk_.logs_of_all_) names.push_back(name);
      return names;
    }
    void remove(const std::string& name) override {
      disk_.operate([&] { disk_.logs_of_all_.erase(name); });
    }

   private:
    Disk& disk_;
  };

  MemoryStore memory_;
  std::map<std::string, std::shared_ptr<MemoryLog>> logs_of_all_;
  KilledStore store_;
  KilledFolder logs_;
  Faults faults_;
  std::function<void()> before_sync_;
  std::optional<Image> before_forgotten_;  // the disk before a commit that the next crash undoes
  std::uint64_t operations_ = 0;
  bool fails_ = false;
  std::optional<std::pair<std::uint64_t, When>> kill_;
};

}  // namespace muster::service
