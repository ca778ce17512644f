// The devices heard in an open round, by the tokens that they spent, and the inner layers of the reports
// among their uploads, in the order of arrival.
//
// A token is told from others by its nonce: one-more unforgeability of blind signatures makes the number of
// distinct nonces at most the number of tokens that were issued. Everything is in memory alone, about 100
// bytes for a device beside its report. An object belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "muster/wire/bytes.h"
#include "muster/wire/upload.h"

namespace muster::service {

class Heard {
 public:
  // `width` is that of an inner layer.
  explicit Heard(std::size_t width);

  enum class Upload {
    first,  // of its token, which is spent now
    again,  // the same bytes as the token's first upload
    other,  // other bytes than those; the first upload remains
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
  // Devices choose the nonces of their tokens. Under a secret key, none can choose many that collide.
  using Key = std::array<std::uint8_t, 16>;
  using Nonce = std::array<std::uint8_t, 32>;
  struct KeyedHash {
    Key key;
    std::uint64_t operator()(wire::Bytes bytes) const;
    std::size_t operator()(const Nonce& nonce) const { return (*this)(wire::Bytes(nonce)); }
  };

  std::size_t width_;
  KeyedHash hash_;
  std::unordered_map<Nonce, std::uint64_t, KeyedHash> spent_;  // with a hash of the upload
  wire::Buffer inner_;
};

}  // namespace muster::service
