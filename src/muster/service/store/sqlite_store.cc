#include "muster/service/store/sqlite_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"

namespace muster::service {

using wire::Buffer;
using wire::Bytes;

// A connection to one database file. Every call throws Error(file) with SQLite's words if it fails, and
// std::bad_alloc without memory.
class SqliteStore::Database {
 public:
  Database(const std::filesystem::path& path, Access access) : path_(path) {
    if (access == Access::create_or_open) make_file();
    const int flags = access == Access::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    sqlite3* opened = nullptr;
    const int status = sqlite3_open_v2(path.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    connection_.reset(opened);
    check(status, "cannot be opened");
    sqlite3_extended_result_codes(opened, 1);
    prepare(access);
  }

  // Runs one statement with its values, and hands each row of the result to `row`, which runs no other.
  template <typename Row>
  void run(std::string_view sql, std::initializer_list<Bytes> values, const Row& row) {
    if (failed_) fail("had a failed write before, and is not used any more");
    // SQLite reads the values where they are, so the statement must let go of them before this call returns.
    const std::unique_ptr<sqlite3_stmt, Rest> statement(parsed(sql));
    int column = 0;
    for (const Bytes value : values) {
      // A null pointer would make the value NULL instead of empty.
      static constexpr std::uint8_t kNothing = 0;
      const void* data = value.empty() ? &kNothing : value.data();
      check(sqlite3_bind_blob64(statement.get(), ++column, data, value.size(), SQLITE_STATIC),
            "refuses a value");
    }
    int status = sqlite3_step(statement.get());
    for (; status == SQLITE_ROW; status = sqlite3_step(statement.get())) row(statement.get());
    if (status != SQLITE_DONE) check(status, "cannot be read or written");
  }
  void run(std::string_view sql, std::initializer_list<Bytes> values = {}) {
    run(sql, values, [](sqlite3_stmt*) {});
  }

  // Runs a statement that has no result. Returns whether it changed a row.
  bool change(std::string_view sql, std::initializer_list<Bytes> values) {
    run(sql, values);
    return sqlite3_changes(connection_.get()) > 0;
  }

  // Runs `work` as one transaction. If anything fails, nobody knows what is on the disk, and the connection
  // is not used again.
  template <typename Work>
  void in_transaction(const Work& work) {
    try {
      run("BEGIN IMMEDIATE");
      work();
      run("COMMIT");
    } catch (...) {
      failed_ = true;
      throw;
    }
  }

  // Moves everything from the write-ahead log into the database and cuts the log to nothing.
  void empty_log() {
    int busy = 1;
    run("PRAGMA wal_checkpoint(TRUNCATE)", {}, [&](sqlite3_stmt* s) { busy = sqlite3_column_int(s, 0); });
    if (busy == 0) return;
    failed_ = true;
    fail("cannot be emptied of what was removed");
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  // The two numbers in a database's header that say whose it is: "must" in ASCII, and the version.
  static constexpr int kApplication = 0x6d757374, kVersion = 1;

  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  // Makes a statement ready to run again, without values.
  struct Rest {
    void operator()(sqlite3_stmt* statement) const {
      sqlite3_reset(statement);
      sqlite3_clear_bindings(statement);
    }
  };

  // Returns the statement, which is parsed when it is first run. A commit runs about ten, and parsing them
  // took half of the time that it spent in SQLite.
  sqlite3_stmt* parsed(std::string_view sql) {
    auto found = statements_.find(sql);
    if (found == statements_.end()) {
      sqlite3_stmt* made = nullptr;
      check(sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                               SQLITE_PREPARE_PERSISTENT, &made, nullptr),
            "refuses a statement");
      found = statements_.emplace(sql, std::unique_ptr<sqlite3_stmt, Finalize>(made)).first;
    }
    return found->second.get();
  }

  // SQLite would make the file with the mode that the umask leaves.
  void make_file() {
    const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) throw_file_error(path_, "cannot be opened");
    ::close(descriptor);
  }

  void prepare(Access access) {
    run("PRAGMA busy_timeout = 0");
    if (access == Access::create_or_open) {
      run("PRAGMA locking_mode = EXCLUSIVE");
      std::string journal;
      run("PRAGMA journal_mode = WAL", {},
          [&](sqlite3_stmt* s) { journal = reinterpret_cast<const char*>(sqlite3_column_text(s, 0)); });
      // SQLite keeps another journal, without an error, where the file system cannot serve this one.
      if (journal != "wal") fail("is on a file system without a write-ahead log");
      run("PRAGMA synchronous = FULL");
      run("PRAGMA secure_delete = ON");
    }
    int application = 0, version = 0, objects = 0;
    run("PRAGMA application_id", {}, [&](sqlite3_stmt* s) { application = sqlite3_column_int(s, 0); });
    run("PRAGMA user_version", {}, [&](sqlite3_stmt* s) { version = sqlite3_column_int(s, 0); });
    run("SELECT count(*) FROM sqlite_schema", {},
        [&](sqlite3_stmt* s) { objects = sqlite3_column_int(s, 0); });
    if (application == 0 && version == 0 && objects == 0 && access == Access::create_or_open) {
      make_tables();
    } else if (application != kApplication || version != kVersion) {
      fail(fmt::format("is not a store of muster, version {}", kVersion));
    }
    // The process may have died after a commit and before its log was emptied.
    if (access == Access::create_or_open) empty_log();
  }

  void make_tables() {
    in_transaction([&] {
      run("CREATE TABLE log (number INTEGER PRIMARY KEY, row BLOB NOT NULL) STRICT");
      run("CREATE TABLE blobs (name BLOB PRIMARY KEY, content BLOB NOT NULL) STRICT, WITHOUT ROWID");
      run(fmt::format("PRAGMA application_id = {}", kApplication));
      run(fmt::format("PRAGMA user_version = {}", kVersion));
    });
  }

  void check(int status, const char* what) {
    if (status == SQLITE_OK) return;
    constexpr int kPrimary = 0xff;  // an extended code has more bits
    if ((status & kPrimary) == SQLITE_NOMEM) throw std::bad_alloc();
    if ((status & kPrimary) == SQLITE_BUSY) what = "is in use by another process";
    fail(fmt::format("{}: {}", what,
                     connection_ ? sqlite3_errmsg(connection_.get()) : sqlite3_errstr(status)));
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCode::file, path_.string(), "", "", why);
  }

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> connection_;
  std::map<std::string, std::unique_ptr<sqlite3_stmt, Finalize>, std::less<>> statements_;
  bool failed_ = false;
};

namespace {

Buffer blob_of(sqlite3_stmt* statement) {
  const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement, 0));
  return {data, data + sqlite3_column_bytes(statement, 0)};
}

}  // namespace

SqliteStore::SqliteStore(const std::filesystem::path& path, Access access)
    : database_(std::make_unique<Database>(path, access)) {}
SqliteStore::~SqliteStore() = default;

const std::filesystem::path& SqliteStore::path() const { return database_->path(); }

std::vector<Buffer> SqliteStore::rows() {
  std::vector<Buffer> rows;
  database_->run("SELECT row FROM log ORDER BY number", {},
                 [&](sqlite3_stmt* s) { rows.push_back(blob_of(s)); });
  return rows;
}

std::optional<Buffer> SqliteStore::blob(const std::string& name) {
  std::optional<Buffer> found;
  database_->run("SELECT content FROM blobs WHERE name = ?", {wire::bytes_of(name)},
                 [&](sqlite3_stmt* s) { found = blob_of(s); });
  return found;
}

void SqliteStore::commit(const Commit& changes) {
  bool leaves_traces = false;
  database_->in_transaction([&] {
    for (const Buffer& row : changes.append) database_->run("INSERT INTO log (row) VALUES (?)", {row});
    for (const auto& [name, content] : changes.put) {
      const Bytes key = wire::bytes_of(name);
      if (database_->change("UPDATE blobs SET content = ? WHERE name = ?", {content, key})) {
        leaves_traces = true;
      } else {
        database_->run("INSERT INTO blobs VALUES (?, ?)", {key, content});
      }
    }
    for (const std::string& name : changes.remove) {
      if (database_->change("DELETE FROM blobs WHERE name = ?", {wire::bytes_of(name)})) leaves_traces = true;
    }
  });
  if (leaves_traces && !changes.may_leave_traces) database_->empty_log();
}

}  // namespace muster::service
