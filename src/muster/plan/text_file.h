// Reads a small text file whole: a plan, or a file that a plan names.
//
// Each call opens the file anew. The function may be called from any thread.
#pragma once

#include <cstddef>
#include <string>

namespace muster::protocols {

struct TextFileKind {
  const char* name;       // what the file should be, such as "plan"
  std::size_t mebibytes;  // larger files are refused
  // Returns a file that the user may have meant by a path that does not exist; empty if there is none.
  std::string (*nearby)(const std::string& path) = nullptr;
};

// Throws Error(file), which names the path, for a file that does not exist, cannot be read or is too large,
// and for a folder, a pipe or a device.
std::string read_text_file(const std::string& path, const TextFileKind& kind);

}  // namespace muster::protocols
