// Where random bits come from: the one seam between samplers and their source.
//
// Three sources exist: KeyedStream (keyed_stream.h: simulation, addressable and reproducible), OsSource
// (os_source.h: deployment and secret keys), ScriptedSource (scripted_source.h: tests). A source is not
// thread-safe; give each thread its own.
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
