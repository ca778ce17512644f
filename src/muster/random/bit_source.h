// A source of random bits: the interface between samplers and where their bits come from.
//
// There are three sources: KeyedStream (keyed_stream.h) for simulation, addressable and reproducible;
// OsSource (os_source.h) for deployment and secret keys; ScriptedSource (scripted_source.h) for tests. A
// source is not thread-safe; give each thread its own.
#pragma once

#include <cstdint>

namespace muster::random {

class BitSource {
 public:
  virtual ~BitSource() = default;

  // Sixty-four independent uniform bits.
  virtual std::uint64_t next_u64() = 0;
};

}  // namespace muster::random
