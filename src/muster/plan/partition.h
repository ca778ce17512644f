// Describes how the training records are dealt to the clients, by one of the values of population.partition:
//
//     shuffled          Each client gets the same number of records, in a random order.
//     by-label:K        The records are sorted by label and cut into pieces, and each client gets K of them
//                       (McMahan et al., AISTATS 2017, section 3, where K = 2).
//     dirichlet:ALPHA   Each client has its own shares of the labels, drawn from the symmetric Dirichlet law
//                       whose parameters are all ALPHA (Hsu, Qi and Brown, arXiv:1909.06335, section 2).
//
// The code in simulation/partitions/ deals the records. The functions here are pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::protocols {

struct Partition {
  enum class Kind { shuffled, by_label, dirichlet };
  Kind kind = Kind::shuffled;
  std::uint64_t pieces = 1;  // K of by-label, in 1..kMaxPieces
  double alpha = 1;          // ALPHA of dirichlet, in [kMinAlpha, kMaxAlpha]

  // Returns the text that a plan states. ALPHA has the shortest text that parses to the same double.
  std::string text() const;

  bool operator==(const Partition&) const = default;
};

// The text of Partitions::allowed() repeats these limits.
inline constexpr std::uint64_t kMaxPieces = 1'000'000;
// Up to rounding, a client would have only one label if ALPHA were smaller, and equal shares of all labels if
// ALPHA were larger.
inline constexpr double kMinAlpha = 1e-6, kMaxAlpha = 1e6;

// Returns the partition with this text; nullopt if there is none or if its parameter is out of range.
std::optional<Partition> parse_partition(std::string_view text);

}  // namespace muster::protocols
