// Describes how the training records are dealt to the clients. These are the values of population.partition:
//
//     shuffled          in a random order, the same number to each client
//     by-label:K        K pieces to each client, cut from the records in the order of their labels
//                       (McMahan et al., AISTATS 2017, section 3, where K = 2)
//     dirichlet:ALPHA   by each client's own shares of the labels, drawn from the symmetric Dirichlet law
//                       whose parameters are all ALPHA (Hsu, Qi and Brown, arXiv:1909.06335, section 2)
//
// simulation/partitions/ deals the records. Pure functions; call from any thread.
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

  // The text in a plan, with the shortest text for ALPHA that parses to the same double.
  std::string text() const;

  bool operator==(const Partition&) const = default;
};

// Partitions::allowed() prints these limits.
inline constexpr std::uint64_t kMaxPieces = 1'000'000;
// For smaller ALPHA a client would have only one label, for larger ALPHA equal shares of all labels, up to
// rounding.
inline constexpr double kMinAlpha = 1e-6, kMaxAlpha = 1e6;

// The partition with this text; nullopt if the text is not a partition or its parameter is out of range.
std::optional<Partition> parse_partition(std::string_view text);

}  // namespace muster::protocols
