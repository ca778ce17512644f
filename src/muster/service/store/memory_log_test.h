// A log in memory for tests. crash() takes from it what a machine that dies may lose: any number of the last
// records that were not synced. A log belongs to one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "muster/core/error.h"
#include "muster/service/store/log.h"

namespace muster::service {

class MemoryLog final : public Log {
 public:
  explicit MemoryLog(std::size_t width) : width_(width) {}

  std::size_t width() const override { return width_; }
  std::uint64_t size() const override { return records_.size(); }
  void append(wire::Bytes record) override {
    if (record.size() != width_) throw Error(ErrorCode::internal, "record", "", "", "has another width");
    records_.emplace_back(record.begin(), record.end());
  }
  void sync() override { synced_ = records_.size(); }
  void read(std::uint64_t first, std::uint64_t count, const std::function<void(wire::Bytes)>& take) override {
    expect_within(*this, first, count);
    for (std::uint64_t i = first; i < first + count; ++i) take(records_[i]);
  }

  std::size_t unsynced() const { return records_.size() - synced_; }
  // Loses the last `lost` records, but none that was synced.
  void crash(std::size_t lost) {
    records_.resize(records_.size() - std::min(lost, unsynced()));
    synced_ = records_.size();
  }

 private:
  std::size_t width_;
  std::vector<wire::Buffer> records_;
  std::size_t synced_ = 0;
};

}  // namespace muster::service
