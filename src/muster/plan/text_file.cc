#include "muster/plan/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "muster/core/error.h"

namespace muster::protocols {

std::string read_text_file(const std::string& path, const TextFileKind& kind) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorCode::file, path, "", "a file", fmt::format("is a folder, and no {}", kind.name));
  }
  // Reading could block forever: a pipe may have no writer, and a device may have no end.
  if (std::filesystem::is_other(path, ignored)) {
    throw Error(ErrorCode::file, path, "", "a regular file",
                fmt::format("is a pipe or a device, and no {} is read from one", kind.name));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const std::string reason = std::strerror(errno);
    const std::string other = errno == ENOENT && kind.nearby != nullptr ? kind.nearby(path) : "";
    throw Error(ErrorCode::file, path, "", "",
                fmt::format("cannot be opened: {}{}", reason,
                            other.empty() ? "" : fmt::format("; did you mean {}?", other)));
  }
  const std::size_t most = kind.mebibytes << 20;
  std::string text(most + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || (!file.eof() && file.fail())) {
    throw Error(ErrorCode::file, path, "", "a readable text file",
                fmt::format("cannot be read as a {}", kind.name));
  }
  if (text.size() > most) {
    throw Error(ErrorCode::file, path, "", fmt::format("at most {} MiB", kind.mebibytes),
                fmt::format("is too large for a {}", kind.name));
  }
  return text;
}

}  // namespace muster::protocols
