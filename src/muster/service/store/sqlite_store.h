// A store in one SQLite database: write-ahead log, synchronous FULL. A commit that removes or replaces blobs
// overwrites their content in the database and empties the write-ahead log, which may hold it too.
//
// The file has mode 0600. A database that another program made, or another version of this one, is refused.
// One process opens a database at a time; a second one gets an error. A store belongs to one thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "muster/service/store/store.h"

namespace muster::service {

class SqliteStore final : public Store {
 public:
  enum class Access { create_or_open, read_only };

  // Opens the database, or makes it if `access` allows. Throws Error(file), naming the path, if it cannot be
  // opened, is damaged, is in use, or is not a store of this version.
  SqliteStore(const std::filesystem::path& path, Access access);
  ~SqliteStore() override;

  std::vector<wire::Buffer> rows() override;
  std::optional<wire::Buffer> blob(const std::string& name) override;
  void commit(const Commit& changes) override;

  const std::filesystem::path& path() const;

 private:
  class Database;
  std::unique_ptr<Database> database_;
};

}  // namespace muster::service
