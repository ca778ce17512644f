// Writes and reads whole files. A replacement is atomic: whenever it is interrupted, the path has either its
// old content (or is still absent) or all of the new content.
//
// Several threads and processes may replace and read one path at the same time: each writes a temporary file
// of its own, and the last one to rename its file wins. A file that is appended to must have a single writer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "muster/core/error.h"

namespace muster {

// Replaces `path` by `bytes`: writes and flushes a new temporary file beside it, renames that and flushes the
// folder. On failure (a full disk, for example) it throws Error(file), removes the temporary file and leaves
// the old content of `path` untouched, unless only the folder cannot be flushed. A `path` that is no regular
// file (but a folder or a device) is refused before anything is written. The new file may be read by all whom
// the umask lets, or by its owner alone.
enum class ReadableBy { all, owner };
void replace_file(const std::filesystem::path& path, std::string_view bytes,
                  ReadableBy readers = ReadableBy::all);

// Makes durable what changed in the folder, on file systems that can do so. Throws Error(file) if it fails.
void flush_folder(const std::filesystem::path& folder);

// Whether the file name `name` is that of a temporary file made to replace the file named `replaced`. Such a
// file may be in use, or may have been left by a killed process.
bool is_temporary_of(const std::filesystem::path& name, const std::filesystem::path& replaced);
// Removes the temporary files of `path` and ignores those that cannot be removed. No thread or process may be
// replacing `path` at the same time.
void remove_temporaries_of(const std::filesystem::path& path);

// Returns the whole content of the file. Throws Error(file) if it cannot be read or is not a regular file: a
// pipe may have no writer, and a device may have no end.
std::string read_file(const std::filesystem::path& path);

// Appends all of `bytes` to an open file descriptor, or nothing: if a write fails, the file is truncated to
// `length`, its size before the call, and Error(file) names `path`. Returns the new length.
std::uintmax_t append_whole(int descriptor, std::uintmax_t length, std::string_view bytes,
                            const std::filesystem::path& path);

// Throws Error(file) for `path`. Its message is `what` (such as "cannot be read") and the reason from errno.
[[noreturn]] void throw_file_error(const std::filesystem::path& path, const std::string& what);

// Returns Error(file) for a path that the standard library could not examine: its name is too long, for
// example, or a folder above it may not be searched.
Error file_error(const std::filesystem::filesystem_error& error);

}  // namespace muster
