// A store that passes every call on to another one. Tests derive stores from it that do one thing wrong, or
// that watch what is written. An object belongs to the thread of its store, which must outlive it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "muster/service/store/store.h"

namespace muster::service {

class StoreBetween : public Store {
 public:
  explicit StoreBetween(Store& store) : store_(store) {}
  std::vector<wire::Buffer> rows() override { return store_.rows(); }
  std::optional<wire::Buffer> blob(const std::string& name) override { return store_.blob(name); }
  void commit(const Commit& changes) override { store_.commit(changes); }

 protected:
  Store& store_;
};

}  // namespace muster::service
