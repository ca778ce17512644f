// A ledger in words, for tests. Pure.
#pragma once

#include <string>
#include <variant>

#include "muster/service/ledger/entry.h"
#include "muster/service/ledger/ledger.h"

namespace muster::service {

// The names of the entries after the first, for example "open release open spent:lost end".
inline std::string story_of(const Ledger& ledger) {
  std::string words;
  for (const Entry& entry : ledger.entries()) {
    if (std::holds_alternative<TaskEntry>(entry)) continue;
    words += (words.empty() ? "" : " ") + std::string(name_of(entry));
    if (const auto* spent = std::get_if<SpentEntry>(&entry)) words += std::string(":") + name_of(spent->why);
  }
  return words;
}

}  // namespace muster::service
