// Lets libFuzzer call the target that this program is linked with.
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  muster::fuzz::accepts({data, size});
  return 0;
}
