// How the training records are divided among the clients, as population.partition states it:
//
//     shuffled          in a random order, each client the same number
//     by-label:K        in K pieces each, cut from the records in the order of their labels
//                       (McMahan et al., AISTATS 2017, section 3, where K = 2)
//     dirichlet:ALPHA   by each client's own shares of the labels, a draw of the symmetric Dirichlet law whose
//                       parameters are all ALPHA (Hsu, Qi and Brown, arXiv:1909.06335, section 2)
//
// simulation/partitions/ divides them. Pure functions; call from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::protocols {

struct Partition {
  enum class Kind { shuffled, by_label, dirichlet };
  Kind kind = Kind::shuffled;
  std::uint64_t pieces = 1;  // K of by-label, 1..kMaxPieces
  double alpha = 1;          // of dirichlet, in [kMinAlpha, kMaxAlpha]

  // The text in which a plan states it, with the shortest text of ALPHA that parses to the same double.
  std::string text() const;

  bool operator==(const Partition&) const = default;
};

// Partitions::allowed states these limits.
inline constexpr std::uint64_t kMaxPieces = 1'000'000;
// Beyond these, the shares of a client are one label, or all labels alike, up to rounding.
inline constexpr double kMinAlpha = 1e-6, kMaxAlpha = 1e6;

// Empty unless the whole text states a partition whose parameter is in its range.
std::optional<Partition> parse_partition(std::string_view text);

}  // namespace muster::protocols
