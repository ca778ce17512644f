#include "build_identity.h"

#include <fmt/format.h>

#include "source_identity.h"  // written by cmake/SourceIdentity.cmake at each build

namespace muster::app {

std::string build_identity() {
  return fmt::format("muster {}\nsource: {}\nbuild: {}", MUSTER_VERSION, MUSTER_SOURCE, MUSTER_BUILD);
}

}  // namespace muster::app
