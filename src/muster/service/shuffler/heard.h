// The devices heard in an open round, by the tokens that they spent, and the inner layers of the reports
// among their uploads, in the order of arrival.
//
// A token is told from others by its nonce: one-more unforgeability of blind signatures makes the number of
// distinct nonces at most the number of tokens that were issued.
//
// No two reports have the same encapsulated key, because the aggregator takes such a pair as the sign that
// the shuffler copied a report, and charges the round without an update. Two devices could otherwise spend
// the budget of everybody by sending the same report. Nobody but the shuffler sees the encapsulated keys of
// others, so that no device can keep an honest one's report out.
//
// Everything is in memory alone, which is wiped when it is freed: about 100 bytes for a device, and for a
// report 100 more besides its own bytes. An object belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "muster/wire/bytes.h"
#include "muster/wire/hpke.h"
#include "muster/wire/upload.h"
#include "muster/wire/wiping_allocator.h"

namespace muster::service {

class Heard {
 public:
  // `width` is that of an inner layer, which begins with an encapsulated key.
  explicit Heard(std::size_t width);

  enum class Upload {
    first,   // of its token, which is spent now
    again,   // the same bytes as the token's first upload
    other,   // other bytes than those; the first upload remains
    copied,  // a report with the encapsulated key of one that is here; its token is not spent
  };
  // Takes an upload that was opened and found valid. Only one that is the first of its token changes
  // anything.
  Upload take(const wire::OpenedUpload& opened, wire::Bytes upload);

  std::uint64_t devices() const { return spent_.size(); }
  std::size_t reports() const { return inner_.size() / width_; }
  wire::Bytes report(std::size_t number) const {
    return wire::Bytes(inner_).subspan(number * width_, width_);
  }

 private:
  // Devices choose the nonces of their tokens and the keys of their reports. The hashes depend on a secret
  // key, so no device can choose many that collide.
  using Key = std::array<std::uint8_t, 16>;
  using Nonce = std::array<std::uint8_t, 32>;
  struct KeyedHash {
    Key key;
    std::uint64_t operator()(wire::Bytes bytes) const;
    std::size_t operator()(const std::array<std::uint8_t, 32>& bytes) const {
      return (*this)(wire::Bytes(bytes));
    }
  };

  std::size_t width_;
  KeyedHash hash_;
  // The nodes of these tables lie in memory as they came, so they are wiped like the layers themselves.
  using Spent = std::pair<const Nonce, std::uint64_t>;
  std::unordered_map<Nonce, std::uint64_t, KeyedHash, std::equal_to<>, wire::WipingAllocator<Spent>>
      spent_;  // with a hash of the upload
  std::unordered_set<wire::HpkePublicKey, KeyedHash, std::equal_to<>,
                     wire::WipingAllocator<wire::HpkePublicKey>>
      encapsulated_;  // the keys of the reports
  wire::Buffer inner_;
};

}  // namespace muster::service
