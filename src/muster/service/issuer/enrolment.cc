#include "muster/service/issuer/enrolment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "muster/core/error.h"
#include "muster/wire/hex.h"

namespace muster::service {
namespace {

using wire::IdentityKey;

constexpr std::uint8_t kRow = 1;                    // the version of a row
constexpr std::size_t kKey = IdentityKey{}.size();  // bytes
constexpr std::string_view kBlanks = " \t\r";
constexpr std::size_t kKeysInRow = 1 << 16;  // so that a row stays far below what a database can hold

// The line without its comment and the blanks around what is left.
std::string_view stripped(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const std::size_t first = line.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

Error refused(const std::string& origin, std::size_t line, const std::string& why) {
  return {ErrorCode::file, origin, "", "one key of 64 hexadecimal digits a line",
          fmt::format(", line {}: {}", line, why)};
}

// Throws Error(file) for a key that stands on two lines, naming the first such line.
void refuse_doubles(const std::vector<IdentityKey>& keys, const std::vector<std::size_t>& lines,
                    const std::string& origin) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(keys[i], i); });
  std::optional<std::pair<std::size_t, std::size_t>> doubled;  // the later line and the earlier one
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (keys[order[i]] != keys[order[i - 1]]) continue;
    const std::pair found(lines[order[i]], lines[order[i - 1]]);
    if (!doubled || found < *doubled) doubled = found;
  }
  if (doubled) {
    throw refused(origin, doubled->first, fmt::format("has the key of line {} again", doubled->second));
  }
}

}  // namespace

std::vector<IdentityKey> read_enrolment(std::string_view text, const std::string& origin) {
  std::vector<IdentityKey> keys;
  std::vector<std::size_t> lines;  // of the keys
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view digits = stripped(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (digits.empty()) continue;
    const auto key = wire::array_from_hex<kKey>(digits);
    if (!key && digits.size() != 2 * kKey) {
      throw refused(origin, line, fmt::format("has {} characters in place of a key", digits.size()));
    }
    if (!key) throw refused(origin, line, "has a character that is no hexadecimal digit");
    keys.push_back(*key);
    lines.push_back(line);
  }
  refuse_doubles(keys, lines, origin);
  return keys;
}

Enrolment::Enrolment(Store& store, std::string origin) : store_(store), origin_(std::move(origin)) {
  for (const wire::Buffer& row : store_.rows()) {
    if (row.size() <= 1 || row.size() % kKey != 1 || row[0] != kRow) {
      throw Error(ErrorCode::file, origin_, "", "", "has a row that enrols no devices");
    }
    wire::FieldReader fields(wire::Bytes(row).subspan(1));
    while (!fields.rest().empty()) keys_.push_back(fields.array<kKey>());
  }
  if (!sort_from(0)) throw Error(ErrorCode::file, origin_, "", "", "has a device that is enrolled twice");
}

std::optional<std::uint32_t> Enrolment::number_of(const IdentityKey& device) const {
  const auto key_of = [this](std::uint32_t number) -> const IdentityKey& { return keys_[number]; };
  const auto found = std::ranges::lower_bound(sorted_, device, {}, key_of);
  if (found == sorted_.end() || keys_[*found] != device) return std::nullopt;
  return *found;
}

std::uint64_t Enrolment::add(std::span<const IdentityKey> devices) {
  std::vector<IdentityKey> added(devices.begin(), devices.end());
  std::ranges::sort(added);
  added.erase(std::unique(added.begin(), added.end()), added.end());
  std::erase_if(added, [this](const IdentityKey& device) { return number_of(device).has_value(); });
  if (added.empty()) return 0;
  if (added.size() > std::numeric_limits<std::uint32_t>::max() - keys_.size()) {
    throw Error(ErrorCode::file, origin_, "", "at most 2^32 - 1 devices", "cannot enrol so many devices");
  }
  Store::Commit changes;
  for (std::size_t first = 0; first < added.size(); first += kKeysInRow) {
    const std::size_t end = std::min(added.size(), first + kKeysInRow);
    wire::FieldWriter row(1 + kKey * (end - first));
    row.integer(kRow);
    for (std::size_t i = first; i < end; ++i) row.bytes(added[i]);
    changes.append.push_back(row.take());
  }
  store_.commit(changes);
  const std::size_t before = keys_.size();
  keys_.insert(keys_.end(), added.begin(), added.end());
  sort_from(before);
  return added.size();
}

bool Enrolment::sort_from(std::size_t first) {
  const auto key_of = [this](std::uint32_t number) -> const IdentityKey& { return keys_[number]; };
  sorted_.resize(keys_.size());
  const auto middle = sorted_.begin() + static_cast<std::ptrdiff_t>(first);
  std::iota(middle, sorted_.end(), static_cast<std::uint32_t>(first));
  std::ranges::sort(middle, sorted_.end(), {}, key_of);
  std::ranges::inplace_merge(sorted_, middle, {}, key_of);
  return std::ranges::adjacent_find(sorted_, {}, key_of) == sorted_.end();
}

}  // namespace muster::service
