// Files that are either whole or absent, whatever happens while they are written.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace muster::simulation {

// Replaces `path` by `bytes`: written beside it under a temporary name, flushed to the disk, renamed, and the
// folder flushed. After a failure (a full disk, a folder that may not be written) Error(file) is thrown, the
// temporary is gone and the old content of `path` is untouched. A `path` that is no regular file (a folder, a
// device) is refused before anything is written.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

// The whole content; Error(file) when it cannot be read.
std::string read_file(const std::filesystem::path& path);

// Appends to an open file descriptor all of `bytes` or nothing: on failure the file is cut back to `length`,
// what it held before, and Error(file) names `path`. Returns the new length.
std::uintmax_t append_whole(int descriptor, std::uintmax_t length, std::string_view bytes,
                            const std::filesystem::path& path);

// Error(file) for the failed system call `what` on `path`, with the reason in errno.
[[noreturn]] void throw_file_error(const std::filesystem::path& path, const std::string& what);

}  // namespace muster::simulation
