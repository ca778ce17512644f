// Declares the interface through which samplers draw random bits.
//
// There are three sources. KeyedStream (keyed_stream.h) is addressable and reproducible, for simulation.
// OsSource (os_source.h) is for deployment and secret keys, and ScriptedSource (scripted_source.h) is for
// tests. A source is not thread-safe: give each thread its own.
#pragma once

#include <cstdint>

namespace muster::random {

class BitSource {
 public:
  virtual ~BitSource() = default;

  // Returns 64 independent uniform bits.
  virtual std::uint64_t next_u64() = 0;
};

}  // namespace muster::random
