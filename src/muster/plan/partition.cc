// Reads and writes the text of a partition, and the value of the key population.partition.
#include "muster/plan/partition.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "muster/plan/value_kinds.h"

namespace muster::protocols {
namespace {

constexpr std::string_view kShuffled = "shuffled", kByLabel = "by-label:", kDirichlet = "dirichlet:";

}  // namespace

std::string Partition::text() const {
  switch (kind) {
    case Kind::by_label:
      return fmt::format("{}{}", kByLabel, pieces);
    case Kind::dirichlet:
      return fmt::format("{}{}", kDirichlet, alpha);
    default:
      return std::string(kShuffled);
  }
}

std::optional<Partition> parse_partition(std::string_view text) {
  if (text == kShuffled) {
    return Partition{};
  }
  if (text.starts_with(kByLabel)) {
    const std::string_view digits = text.substr(kByLabel.size());
    Partition partition{.kind = Partition::Kind::by_label};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), partition.pieces);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    return whole && partition.pieces >= 1 && partition.pieces <= kMaxPieces ? std::optional(partition)
                                                                            : std::nullopt;
  }
  if (text.starts_with(kDirichlet)) {
    const std::optional<double> alpha = parse_number(text.substr(kDirichlet.size()));
    return alpha && *alpha >= kMinAlpha && *alpha <= kMaxAlpha
               ? std::optional(Partition{.kind = Partition::Kind::dirichlet, .alpha = *alpha})
               : std::nullopt;
  }
  return std::nullopt;
}

std::string Partitions::allowed(Command) const {
  return "shuffled | by-label:K | dirichlet:ALPHA, K in 1..1e6, ALPHA in [1e-6, 1e6]";
}

void Partitions::read(const Stated& stated, PlanValues& values) const {
  const std::optional<Partition> partition = parse_partition(text_value(stated));
  if (!partition) {
    refuse(stated, Reason::malformed, "is no partition of the records");
  }
  field.set(values, *partition);
}

std::optional<std::string> Partitions::write(const PlanValues& values) const {
  const std::optional<Partition> partition = field.get(values);
  return partition ? std::optional(partition->text()) : std::nullopt;
}

}  // namespace muster::protocols
