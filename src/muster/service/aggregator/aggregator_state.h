// What the aggregator keeps in its store beside the rows of its ledger, as blobs of fixed layout. Integers
// are little-endian.
//
//     "model"     what was learned (learned_model.h)
//     "key"       of the open round (store/round_key.h)
//     "manifest"  the shuffler's signed manifest of the open round, once it was accepted
//     "receipt"   the signed receipt that the shuffler has not accepted yet
//     "counts"    u64 x 11: the rejected uploads and reports of all rounds (RejectedCounts)
//     "serial"    u64: the greatest serial of the issuer's key directory that was seen
//     "lost"      32: what the shuffler had seen (lost_name) when an operator had the lost rounds charged
//     "stop"      1: an operator wants the task to end
//     "accuracy-ROUND"  what was measured after a round (accuracy.h)
//
// Functions that read throw Error(file) for bytes that are not of their layout: the store is damaged. They
// are pure but for the store, and belong to its thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "muster/service/aggregator/learner.h"
#include "muster/service/ledger/entry.h"
#include "muster/service/store/store.h"
#include "muster/wire/bytes.h"
#include "muster/wire/hpke.h"
#include "muster/wire/manifest.h"
#include "muster/wire/offer.h"

namespace muster::service {

// Uploads and reports of all rounds that counted for nothing.
struct RejectedCounts {
  // Uploads that the shuffler rejected, by wire::Rejected, as the manifests of all rounds with an outcome
  // state them.
  std::array<std::uint64_t, wire::kRejectReasons> uploads{};
  ReportCounts reports;  // of released rounds, by the aggregator; `valid` is not kept and always 0
  bool operator==(const RejectedCounts&) const = default;
};
// Adds the uploads that the manifest counts.
void add_uploads(RejectedCounts& counts, const wire::Manifest& manifest);
// Adds the reports of a round.
void add_reports(RejectedCounts& counts, const ReportCounts& reports);

std::optional<SignedManifest> read_accepted_manifest(Store& store);
RejectedCounts read_counts(Store& store);  // zeros if there are none
wire::Buffer encode(const RejectedCounts& counts);
std::uint64_t read_serial(Store& store);  // 0 if none was seen
wire::Buffer encode_serial(std::uint64_t serial);
std::optional<wire::Hash> read_lost(Store& store);
// Identifies what the shuffler has seen. An operator's decision to charge lost rounds holds for that alone.
wire::Hash lost_name(const wire::Offer& offer);

}  // namespace muster::service
