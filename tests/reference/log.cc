#include "tests/reference/log.h"

#include <fmt/format.h>

#include <cstdio>
#include <sstream>

#include "tests/reference/record.h"

namespace muster::reference {

Log::Log(const std::string& path, std::uint64_t seed) : seed_(seed) {
  if (path.empty()) return;
  std::ifstream old(path);
  std::string block;
  unsigned long long of_seed = 0, index = 0;
  bool open = false;
  for (std::string line; std::getline(old, line);) {
    if (std::sscanf(line.c_str(), "question %llu %llu", &of_seed, &index) == 2) {
      block.clear();
      open = true;
      continue;
    }
    block += line + "\n";
    if (open && line.starts_with("verdict\t")) {
      if (of_seed == seed) before_[index] = verdict_of({index, block, ""}, 0);
      open = false;
    }
  }
  file_.open(path, std::ios::app);
}

void Log::keep(std::uint64_t index, const Verdict& verdict) {
  if (!file_.is_open()) return;
  file_ << "question " << seed_ << " " << index << "\n" << text_of(verdict) << std::flush;
}

}  // namespace muster::reference
