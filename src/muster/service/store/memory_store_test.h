// A store in memory for tests, which can fail at the next commit and be copied as it is. A store belongs to
// one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/service/store/store.h"

namespace muster::service {

class MemoryStore final : public Store {
 public:
  std::vector<wire::Buffer> rows() override { return rows_; }
  std::optional<wire::Buffer> blob(const std::string& name) override {
    const auto found = blobs_.find(name);
    return found == blobs_.end() ? std::nullopt : std::optional(found->second);
  }
  void commit(const Commit& changes) override {
    if (fails_) throw Error(ErrorCode::file, "memory", "", "", "cannot be written");
    rows_.insert(rows_.end(), changes.append.begin(), changes.append.end());
    for (const auto& [name, content] : changes.put) blobs_[name] = content;
    for (const std::string& name : changes.remove) blobs_.erase(name);
  }

  std::vector<wire::Buffer>& stored_rows() { return rows_; }
  void fail_from_now_on() { fails_ = true; }

 private:
  std::vector<wire::Buffer> rows_;
  std::map<std::string, wire::Buffer> blobs_;
  bool fails_ = false;
};

}  // namespace muster::service
