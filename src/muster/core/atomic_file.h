// Writes and reads whole files; a file is complete or absent, whatever interrupts its writing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace muster {

// Replaces `path` by `bytes`: writes them to a temporary file beside it, flushes that to the disk, renames
// it and flushes the folder. On failure (for example, a full disk or a folder without write permission) it
// throws Error(file), removes the temporary file and leaves the old content of `path` untouched. A `path`
// that is not a regular file (a folder, a device) is refused before anything is written.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

// Returns the whole content. Throws Error(file) if it cannot be read.
std::string read_file(const std::filesystem::path& path);

// Appends all of `bytes` to an open file descriptor, or nothing: on failure the file is cut back to
// `length`, its size before the call, and Error(file) names `path`. Returns the new length.
std::uintmax_t append_whole(int descriptor, std::uintmax_t length, std::string_view bytes,
                            const std::filesystem::path& path);

// Throws Error(file) for the failed system call `what` on `path`, with the reason from errno.
[[noreturn]] void throw_file_error(const std::filesystem::path& path, const std::string& what);

}  // namespace muster
