#include "muster/service/store/file_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/random/os_bytes.h"
#include "muster/wire/bytes.h"

namespace muster::service {
namespace {

namespace fs = std::filesystem;
using wire::Buffer;
using wire::Bytes;

constexpr std::string_view kMagic = "muster log 1\n";
constexpr std::size_t kHeader = kMagic.size() + 16 + 4;
// Records are written and read in pieces of about this size.
constexpr std::size_t kPiece = std::size_t{1} << 20;

// Fills `into` with the bytes from `at` on. Returns false if reading fails, which sets errno, or if the file
// ends before.
bool read_bytes(int descriptor, std::uint64_t at, std::span<std::uint8_t> into) {
  while (!into.empty()) {
    const ssize_t got = ::pread(descriptor, into.data(), into.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
    at += static_cast<std::uint64_t>(got);
  }
  return true;
}

}  // namespace

FileLog FileLog::create(const fs::path& path, std::size_t width) {
  if (fs::exists(fs::symlink_status(path))) {
    throw Error(ErrorCode::file, path.string(), "", "", "cannot be made: it exists already");
  }
  std::array<std::uint8_t, kKey> key;
  random::fill_from_os(key);
  const Buffer header = wire::FieldWriter(kHeader)
                            .bytes(wire::bytes_of(kMagic))
                            .bytes(key)
                            .integer(static_cast<std::uint32_t>(width))
                            .take();
  replace_file(path, {reinterpret_cast<const char*>(header.data()), header.size()});
  return open(path, width);
}

FileLog FileLog::open(const fs::path& path, std::size_t width) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) throw_file_error(path, "cannot be opened");
  FileLog log(path, width, descriptor);
  log.lock();
  if (::fchmod(descriptor, 0600) != 0) log.fail("cannot be kept from others");
  log.recover();
  return log;
}

FileLog::FileLog(FileLog&& other) noexcept
    : path_(std::move(other.path_)),
      width_(other.width_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      key_(other.key_),
      size_(other.size_),
      length_(other.length_),
      pending_(std::move(other.pending_)),
      failed_(std::exchange(other.failed_, true)) {}

FileLog::~FileLog() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileLog::expect_usable() const {
  if (failed_)
    throw Error(ErrorCode::file, path_.string(), "", "", "failed before, and is not used any more");
}

void FileLog::fail(const char* what) {
  failed_ = true;
  throw_file_error(path_, what);
}

void FileLog::lock() {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  throw Error(ErrorCode::file, path_.string(), "", "", "is in use by another process");
}

std::array<std::uint8_t, FileLog::kTag> FileLog::tag(std::uint64_t number, Bytes content) const {
  // libsodium's hash has at least 16 bytes; a tag is the first eight of them.
  std::array<std::uint8_t, crypto_generichash_BYTES_MIN> hash;
  const Buffer place = wire::FieldWriter(sizeof number).integer(number).take();
  crypto_generichash_state state;
  crypto_generichash_init(&state, key_.data(), key_.size(), hash.size());
  crypto_generichash_update(&state, place.data(), place.size());
  crypto_generichash_update(&state, content.data(), content.size());
  crypto_generichash_final(&state, hash.data(), hash.size());
  std::array<std::uint8_t, kTag> first;
  std::copy_n(hash.begin(), first.size(), first.begin());
  return first;
}

bool FileLog::is_whole(std::uint64_t number, Bytes record) const {
  return std::ranges::equal(record.subspan(width_), tag(number, record.first(width_)));
}

void FileLog::append(Bytes content) {
  expect_usable();
  if (content.size() != width_) {
    throw Error(ErrorCode::internal, "record", fmt::format("{}", content.size()), fmt::format("{}", width_),
                "has another width than the log");
  }
  const auto end = tag(size_, content);
  pending_.insert(pending_.end(), content.begin(), content.end());
  pending_.insert(pending_.end(), end.begin(), end.end());
  ++size_;
  if (pending_.size() >= kPiece) flush();
}

void FileLog::flush() {
  failed_ = true;  // until the write has succeeded
  length_ = append_whole(descriptor_, length_,
                         {reinterpret_cast<const char*>(pending_.data()), pending_.size()}, path_);
  failed_ = false;
  pending_.clear();
}

void FileLog::sync() {
  expect_usable();
  flush();
  if (::fdatasync(descriptor_) != 0) fail("cannot be made durable");
}

void FileLog::read_header(std::uint64_t length) {
  Buffer header(kHeader);
  if (length < kHeader || !read_bytes(descriptor_, 0, header) ||
      !std::ranges::equal(Bytes(header).first(kMagic.size()), wire::bytes_of(kMagic))) {
    throw Error(ErrorCode::file, path_.string(), "", "", "is not a log of muster, version 1");
  }
  wire::FieldReader fields(Bytes(header).subspan(kMagic.size()));
  key_ = fields.array<kKey>();
  const auto width = fields.integer<std::uint32_t>();
  if (width != width_) {
    throw Error(ErrorCode::file, path_.string(), fmt::format("records of {} bytes", width),
                fmt::format("records of {} bytes", width_), "is a log of another task");
  }
}

void FileLog::read_records(std::uint64_t first, std::uint64_t count, Buffer& into) {
  into.resize(count * record());
  if (!read_bytes(descriptor_, kHeader + first * record(), into)) fail("cannot be read");
}

void FileLog::recover() {
  struct stat info {};
  if (::fstat(descriptor_, &info) != 0) fail("cannot be examined");
  const auto length = static_cast<std::uint64_t>(info.st_size);
  read_header(length);
  const std::uint64_t written = (length - kHeader) / record(),
                      together = std::max<std::uint64_t>(1, kPiece / record());
  Buffer records;
  bool torn = false;
  for (std::uint64_t first = 0; first < written; first += together) {
    const std::uint64_t count = std::min(together, written - first);
    read_records(first, count, records);
    for (std::uint64_t i = 0; i < count; ++i) {
      const bool whole = is_whole(first + i, Bytes(records).subspan(i * record(), record()));
      if (whole && torn) {
        throw Error(
            ErrorCode::file, path_.string(), "", "",
            fmt::format("is damaged: record {} is not as it was written, and whole ones follow", size_));
      }
      torn = torn || !whole;
      if (whole) ++size_;
    }
  }
  length_ = kHeader + size_ * record();
  if (length_ == length) return;
  if (::ftruncate(descriptor_, static_cast<off_t>(length_)) != 0 || ::fsync(descriptor_) != 0) {
    fail("cannot be shortened");
  }
}

void FileLog::read(std::uint64_t first, std::uint64_t count, const std::function<void(Bytes)>& take) {
  expect_usable();
  expect_within(*this, first, count);
  flush();
  const std::uint64_t together = std::max<std::uint64_t>(1, kPiece / record());
  Buffer records;
  for (const std::uint64_t end = first + count; first < end; first += together) {
    const std::uint64_t now = std::min(together, end - first);
    read_records(first, now, records);
    for (std::uint64_t i = 0; i < now; ++i) {
      const Bytes one = Bytes(records).subspan(i * record(), record());
      if (!is_whole(first + i, one)) {
        throw Error(ErrorCode::file, path_.string(), "", "",
                    fmt::format("is damaged: record {} is not as it was written", first + i));
      }
      take(one.first(width_));
    }
  }
}

}  // namespace muster::service
