#include "muster/service/config/key_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/wire/hex.h"

namespace muster::service {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSecret = "muster secret key 1 ", kPublic = "muster public key 1 ";
constexpr std::size_t kLongest = 256;

// Writes a file that does not exist yet.
void write_new(const fs::path& path, std::string_view text, mode_t mode) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
  if (descriptor < 0) throw_file_error(path, "cannot be made");
  bool written = ::fchmod(descriptor, mode) == 0;
  written = written && ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  written = written && ::fsync(descriptor) == 0;
  const int reason = errno;
  ::close(descriptor);
  if (written) return;
  ::unlink(path.c_str());
  errno = reason;
  throw_file_error(path, "cannot be written");
}

// The text of a small regular file. `is_secret` says whether others must not be able to read it.
std::string read_small(const fs::path& path, bool is_secret) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw_file_error(path, "cannot be opened");
  struct stat info {};
  std::string text(kLongest + 1, '\0');
  const bool examined = ::fstat(descriptor, &info) == 0;
  const ssize_t got = examined && S_ISREG(info.st_mode) ? ::read(descriptor, text.data(), text.size()) : -1;
  ::close(descriptor);
  if (got < 0) throw Error(ErrorCode::file, path.string(), "", "a regular file", "cannot be read as a key");
  if (is_secret && (info.st_mode & 077) != 0) {
    throw Error(ErrorCode::file, path.string(), fmt::format("mode {:04o}", info.st_mode & 07777), "mode 0600",
                "may be read or changed by others, so that it is no secret");
  }
  text.resize(static_cast<std::size_t>(got));
  return text;
}

// The 32 bytes of a key file; nullopt if the text is not of this form.
std::optional<std::array<std::uint8_t, 32>> bytes_in(std::string_view text, std::string_view kind,
                                                     std::string_view role) {
  const std::string beginning = fmt::format("{}{} ", kind, role);
  if (!text.starts_with(beginning) || !text.ends_with('\n')) return std::nullopt;
  text.remove_prefix(beginning.size());
  text.remove_suffix(1);
  return wire::array_from_hex<32>(text);
}

[[noreturn]] void refuse(const fs::path& path, std::string_view kind, std::string_view role) {
  throw Error(ErrorCode::file, path.string(), "",
              fmt::format("\"{}{}\" and 64 hexadecimal digits", kind, role), "is not the key that is needed");
}

}  // namespace

wire::IdentityKey make_key_files(const fs::path& folder, const std::string& name, std::string_view role) {
  const auto seed = wire::SecretBytes<wire::SigningKey::kSeed>::fresh();
  const wire::SigningKey key = wire::SigningKey::from_seed(seed);
  const fs::path secret = folder / (name + ".key"), shown = folder / (name + ".pub");
  if (fs::exists(fs::symlink_status(shown))) {
    throw Error(ErrorCode::file, shown.string(), "", "", "exists already, and keys are never written over");
  }
  std::string digits = wire::hex_of(seed.span());
  std::string text = fmt::format("{}{} {}\n", kSecret, role, digits);
  sodium_memzero(digits.data(), digits.size());
  write_new(secret, text, 0600);
  sodium_memzero(text.data(), text.size());
  write_new(shown, fmt::format("{}{} {}\n", kPublic, role, wire::hex_of(key.identity())), 0644);
  flush_folder(folder);
  return key.identity();
}

wire::SigningKey read_secret_key(const fs::path& path, std::string_view role) {
  std::string text = read_small(path, true);
  auto seed = bytes_in(text, kSecret, role);
  sodium_memzero(text.data(), text.size());
  if (!seed) refuse(path, kSecret, role);
  const wire::SecretBytes<wire::SigningKey::kSeed> kept(*seed);
  sodium_memzero(seed->data(), seed->size());
  return wire::SigningKey::from_seed(kept);
}

wire::IdentityKey read_public_key(const fs::path& path, std::string_view role) {
  const auto key = bytes_in(read_small(path, false), kPublic, role);
  if (!key) refuse(path, kPublic, role);
  return *key;
}

}  // namespace muster::service
