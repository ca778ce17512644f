// The payload of a report: one message of a randomizer, in as many bytes as any other message of it.
//
//     ldp-sgd, l2         seed 16 | sign u8 (1 for +, 0 for -)                              17 bytes
//     linf, l1            index u32 | sign u8                                                5 bytes
//     k-rr                answer u32                                                         4 bytes
//     gaussian, laplace   b bits a coordinate, two's complement, the first coordinate in the lowest bits;
//                         unused bits of the last byte are 0               (b * dimension + 7) / 8 bytes
//
// b belongs to the randomizer, and the simulation saturates at the same b. So all clients encode a message by
// the same fixed function, which cannot reveal more than the message does. A decoder accepts the encodings of
// valid messages and refuses everything else. A PayloadFormat is immutable and may be used from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "muster/random/keyed_stream.h"
#include "muster/randomizers/randomizer.h"
#include "muster/wire/bytes.h"

namespace muster::wire {

// Why a payload is not a message of the randomizer.
enum class PayloadFault : std::uint8_t { none, length, sign, range, padding };

class PayloadFormat {
 public:
  // The format for a randomizer's messages.
  explicit PayloadFormat(const randomizers::VectorRandomizer& randomizer);

  std::size_t size() const { return size_; }
  // Writes the message. Throws Error(internal) if it is not of this randomizer, or out.size() is not size().
  void encode(const randomizers::Message& message, std::span<std::uint8_t> out) const;
  // Reads any bytes. Returns the fault, and leaves `message` unspecified unless that is PayloadFault::none.
  PayloadFault decode(Bytes payload, randomizers::Message& message) const;

 private:
  enum class Kind : std::uint8_t { signed_direction, signed_index, answer, grid };

  Kind kind_;
  std::uint64_t bound_ = 0;      // indices and answers are below it
  std::size_t coordinates_ = 0;  // of a grid
  unsigned bits_ = 0;            // of a coordinate of a grid
  std::size_t size_;
};

// Returns the payload that a client must send for a vector. With the randomizer R, this is the payload of
// R(vector), or of R(0) if the vector has another dimension or is not finite, because silence would tell
// something about its data. Key, round and client select the noise, as in VectorRandomizer::randomize.
// Overwrites the vector with zeros.
Buffer randomized_payload(const randomizers::VectorRandomizer& randomizer, randomizers::Scratch& scratch,
                          const PayloadFormat& format, std::vector<float> vector, const random::RunKey& key,
                          std::uint64_t round, std::uint64_t client);

}  // namespace muster::wire
