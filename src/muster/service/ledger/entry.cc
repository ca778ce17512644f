#include "muster/service/ledger/entry.h"

#include <bit>
#include <cmath>

#include "muster/core/overloaded.h"
#include "muster/wire/hash.h"

namespace muster::service {
namespace {

using wire::Bytes;
using wire::FieldReader;
using wire::FieldWriter;
using wire::Hash;

constexpr std::size_t kHash = 32;

// Each kind of entry lists its fields once; encoding and decoding both visit this list.
template <typename Fields>
void each_field(TaskEntry& e, const Fields& fields) {
  fields(e.task, e.epsilon, e.delta);
}
template <typename Fields>
void each_field(OpenEntry& e, const Fields& fields) {
  fields(e.round, e.update, e.model, e.frozen, e.token_key, e.shuffler, e.aggregator);
}
template <typename Fields>
void each_field(ReleaseEntry& e, const Fields& fields) {
  fields(e.round, e.epsilon, e.model, e.manifest);
}
template <typename Fields>
void each_field(SpentEntry& e, const Fields& fields) {
  fields(e.round, e.epsilon, e.why, e.manifest);
}
template <typename Fields>
void each_field(VoidEntry& e, const Fields& fields) {
  fields(e.round, e.manifest);
}
template <typename Fields>
void each_field(EndEntry& e, const Fields& fields) {
  fields(e.why, e.epsilon);
}

// An enumerator is written as one byte.
void write(FieldWriter& out, std::uint64_t value) { out.integer(value); }
void write(FieldWriter& out, double value) { out.integer(std::bit_cast<std::uint64_t>(value)); }
template <typename Enum>
requires std::is_enum_v<Enum>
void write(FieldWriter& out, Enum value) { out.integer(static_cast<std::uint8_t>(value)); }
template <std::size_t N>
void write(FieldWriter& out, const std::array<std::uint8_t, N>& value) {
  out.bytes(value);
}

void read(FieldReader& in, std::uint64_t& value) { value = in.integer<std::uint64_t>(); }
void read(FieldReader& in, double& value) { value = std::bit_cast<double>(in.integer<std::uint64_t>()); }
template <typename Enum>
requires std::is_enum_v<Enum>
void read(FieldReader& in, Enum& value) { value = static_cast<Enum>(in.integer<std::uint8_t>()); }
template <std::size_t N>
void read(FieldReader& in, std::array<std::uint8_t, N>& value) {
  value = in.array<N>();
}

wire::Buffer kind_and_fields(Entry entry) {
  FieldWriter out(512);
  out.integer(static_cast<std::uint8_t>(entry.index()));
  std::visit([&](auto& e) { each_field(e, [&](auto&... field) { (write(out, field), ...); }); }, entry);
  return out.take();
}

Hash hash_of(const Hash& before, std::uint64_t number, Bytes kind_and_fields) {
  const wire::Buffer place = FieldWriter(sizeof number).integer(number).take();
  return wire::hash_of({wire::bytes_of("muster ledger"), before, place, kind_and_fields});
}

// Returns an empty entry of the kind with this number; nullopt if there is no such kind.
std::optional<Entry> empty_entry(std::uint8_t kind) {
  static const std::array<Entry, std::variant_size_v<Entry>> kinds{TaskEntry{},  OpenEntry{}, ReleaseEntry{},
                                                                   SpentEntry{}, VoidEntry{}, EndEntry{}};
  return kind < kinds.size() ? std::optional(kinds[kind]) : std::nullopt;
}

// What was charged: 0, or a positive normal number. A NaN is neither.
bool is_amount(double value) { return value == 0 ? !std::signbit(value) : std::isnormal(value) && value > 0; }

bool valid(const Entry& entry) {
  return std::visit(
      Overloaded{
          [](const TaskEntry& e) {
            return std::isnormal(e.epsilon) && e.epsilon > 0 && std::isnormal(e.delta) && e.delta > 0 &&
                   e.delta < 1;
          },
          [](const OpenEntry&) { return true; },
          [](const ReleaseEntry& e) { return is_amount(e.epsilon) && e.epsilon > 0; },
          [](const SpentEntry& e) {
            return is_amount(e.epsilon) && e.epsilon > 0 && e.why <= SpentEntry::Why::lost;
          },
          [](const VoidEntry&) { return true; },
          [](const EndEntry& e) { return is_amount(e.epsilon) && e.why <= EndEntry::Why::diverged; },
      },
      entry);
}

}  // namespace

const char* name_of(const Entry& entry) {
  static constexpr std::array<const char*, std::variant_size_v<Entry>> kNames{"task",  "open", "release",
                                                                              "spent", "void", "end"};
  return kNames[entry.index()];
}

const char* name_of(SpentEntry::Why why) {
  switch (why) {
    case SpentEntry::Why::hash:
      return "hash";
    case SpentEntry::Why::duplicate:
      return "duplicate";
    case SpentEntry::Why::heard:
      return "heard";
    case SpentEntry::Why::key:
      return "key";
    case SpentEntry::Why::lost:
      return "lost";
  }
  return "unknown";
}

const char* name_of(EndEntry::Why why) {
  switch (why) {
    case EndEntry::Why::done:
      return "done";
    case EndEntry::Why::budget:
      return "budget";
    case EndEntry::Why::rounds:
      return "rounds";
    case EndEntry::Why::stopped:
      return "stopped";
    case EndEntry::Why::diverged:
      return "diverged";
  }
  return "unknown";
}

wire::Buffer row_of(const Entry& entry, const Hash& before, std::uint64_t number) {
  if (!valid(entry)) throw Error(ErrorCode::internal, "ledger entry", "", "", "states no valid amount");
  wire::Buffer row = kind_and_fields(entry);
  const Hash hash = hash_of(before, number, row);
  row.insert(row.end(), hash.begin(), hash.end());
  return row;
}

std::optional<ReadEntry> read_row(Bytes row, const Hash& before, std::uint64_t number) {
  if (row.size() < 1 + kHash) return std::nullopt;
  const Bytes content = row.first(row.size() - kHash);
  const Hash hash = hash_of(before, number, content);
  if (!std::ranges::equal(hash, row.last(kHash))) return std::nullopt;
  std::optional<Entry> entry = empty_entry(content[0]);
  // Every entry of a kind has the length of an empty one.
  if (!entry || kind_and_fields(*entry).size() != content.size()) return std::nullopt;
  FieldReader in(content.subspan(1));
  std::visit([&](auto& e) { each_field(e, [&](auto&... field) { (read(in, field), ...); }); }, *entry);
  if (!valid(*entry)) return std::nullopt;
  return ReadEntry{*entry, hash};
}

const char* sentence_of(EndEntry::Why why) {
  switch (why) {
    case EndEntry::Why::done:
      return "every planned round was charged";
    case EndEntry::Why::budget:
      return "the next round would pass privacy.budget";
    case EndEntry::Why::rounds:
      return "task.most_rounds rounds were opened";
    case EndEntry::Why::stopped:
      return "stopped by an operator";
    case EndEntry::Why::diverged:
      return "the model has diverged: its next step would not be finite";
  }
  return "";
}

}  // namespace muster::service
