#include "muster/service/aggregator/accuracy.h"

#include <bit>
#include <string>

#include "muster/core/error.h"
#include "muster/service/store/sized_blob.h"

namespace muster::service {
namespace {

std::string blob_of(std::uint64_t round) { return "accuracy-" + std::to_string(round); }

}  // namespace

Accuracies read_accuracies(Store& store, const RoundHistory& history) {
  Accuracies found;
  for (const PastRound& past : history.rounds()) {
    const std::string name = blob_of(past.round);
    const auto blob = sized_blob(store, name.c_str(), sizeof(double));
    if (!blob) continue;
    const auto accuracy = std::bit_cast<double>(wire::FieldReader(*blob).integer<std::uint64_t>());
    if (!(accuracy >= 0 && accuracy <= 1)) {
      throw Error(ErrorCode::file, name, std::to_string(accuracy), "a fraction",
                  "is damaged in the role's store");
    }
    found.emplace(past.round, accuracy);
  }
  return found;
}

void keep_accuracy(Store& store, std::uint64_t round, double accuracy) {
  const auto bits = std::bit_cast<std::uint64_t>(accuracy);
  store.commit({.append = {},
                .put = {{blob_of(round), wire::FieldWriter(sizeof(double)).integer(bits).take()}},
                .remove = {}});
}

}  // namespace muster::service
