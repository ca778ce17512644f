#include "muster/service/aggregator/aggregator_state.h"

#include <algorithm>

#include "muster/service/store/sized_blob.h"
#include "muster/wire/hash.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::FieldReader;
using wire::FieldWriter;

constexpr std::size_t kCounts = 8 * (wire::kRejectReasons + 5);

// Lists the counts once; writing and reading both visit this list.
template <typename Counts, typename Each>
void each_count(Counts& counts, const Each& each) {
  for (auto& uploads : counts.uploads) each(uploads);
  auto& reports = counts.reports;
  for (auto* count : {&reports.sealed, &reports.length, &reports.sign, &reports.range, &reports.padding}) {
    each(*count);
  }
}

}  // namespace

void add_uploads(RejectedCounts& counts, const wire::Manifest& manifest) {
  for (std::size_t i = 0; i < wire::kRejectReasons; ++i) counts.uploads[i] += manifest.rejected[i];
}

void add_reports(RejectedCounts& counts, const ReportCounts& reports) {
  counts.reports.sealed += reports.sealed;
  counts.reports.length += reports.length;
  counts.reports.sign += reports.sign;
  counts.reports.range += reports.range;
  counts.reports.padding += reports.padding;
}

std::optional<SignedManifest> read_accepted_manifest(Store& store) {
  const auto blob = sized_blob(store, "manifest", wire::kManifest);
  if (!blob) return std::nullopt;
  SignedManifest manifest{};
  std::ranges::copy(*blob, manifest.begin());
  return manifest;
}

RejectedCounts read_counts(Store& store) {
  RejectedCounts counts;
  if (const auto blob = sized_blob(store, "counts", kCounts)) {
    FieldReader fields(*blob);
    each_count(counts, [&](std::uint64_t& count) { count = fields.integer<std::uint64_t>(); });
  }
  return counts;
}

Buffer encode(const RejectedCounts& counts) {
  FieldWriter fields(kCounts);
  each_count(counts, [&](std::uint64_t count) { fields.integer(count); });
  return fields.take();
}

std::uint64_t read_serial(Store& store) {
  const auto blob = sized_blob(store, "serial", 8);
  return blob ? FieldReader(*blob).integer<std::uint64_t>() : 0;
}

Buffer encode_serial(std::uint64_t serial) { return FieldWriter(8).integer(serial).take(); }

wire::Hash lost_name(const wire::Offer& offer) {
  return wire::hash_of({wire::FieldWriter(8).integer(offer.opened).take(), offer.head});
}

std::optional<wire::Hash> read_lost(Store& store) {
  const auto blob = sized_blob(store, "lost", 32);
  return blob ? std::optional(FieldReader(*blob).array<32>()) : std::nullopt;
}

}  // namespace muster::service
