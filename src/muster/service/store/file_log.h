// A log in one file of mode 0600.
//
//     file   = "muster log 1\n" | key 16 | width u32 | record x size
//     record = content (width bytes) | tag 8
//
// The tag is BLAKE2b-64, keyed with the file's random key, of the record's number and content. So a record
// that was torn when the machine died, or left over from another file, is told from one that was written
// whole. Opening a log cuts off what follows the last whole record. If a whole one follows one that is not,
// the log is refused: the disk is damaged, or it wrote out of order when it lost power. Then nobody knows
// whether a durable record is missing. A log belongs to one thread; a second process is refused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <utility>

#include "muster/service/store/log.h"

namespace muster::service {

class FileLog final : public Log {
 public:
  // Makes a new, empty log and makes it durable. Throws Error(file), naming the path, if it exists already or
  // cannot be made.
  static FileLog create(const std::filesystem::path& path, std::size_t width);
  // Opens a log for records of this width. Throws Error(file) if it cannot be opened, is not such a log, is
  // damaged, or is in use.
  static FileLog open(const std::filesystem::path& path, std::size_t width);

  FileLog(FileLog&& other) noexcept;
  FileLog& operator=(FileLog&&) = delete;
  ~FileLog() override;

  std::size_t width() const override { return width_; }
  std::uint64_t size() const override { return size_; }
  void append(wire::Bytes content) override;
  void sync() override;
  void read(std::uint64_t first, std::uint64_t count, const std::function<void(wire::Bytes)>& take) override;

 private:
  static constexpr std::size_t kKey = 16, kTag = 8;

  FileLog(std::filesystem::path path, std::size_t width, int descriptor)
      : path_(std::move(path)), width_(width), descriptor_(descriptor) {}

  std::size_t record() const { return width_ + kTag; }
  void expect_usable() const;
  [[noreturn]] void fail(const char* what);
  void lock();
  void flush();
  std::array<std::uint8_t, kTag> tag(std::uint64_t number, wire::Bytes content) const;
  bool is_whole(std::uint64_t number, wire::Bytes record) const;
  void read_header(std::uint64_t length);
  void recover();
  // Reads records [first, first + count), which must lie within the file, into `into`.
  void read_records(std::uint64_t first, std::uint64_t count, wire::Buffer& into);

  std::filesystem::path path_;
  std::size_t width_;
  int descriptor_;
  std::array<std::uint8_t, kKey> key_{};
  std::uint64_t size_ = 0, length_ = 0;  // records, and bytes of the file without those that are pending
  wire::Buffer pending_;                 // records that were appended and not yet written to the file
  bool failed_ = false;
};

}  // namespace muster::service
