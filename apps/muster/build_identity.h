// What `muster --version` prints: the version, and the build that a report of a defect has to name.
#pragma once

#include <string>

namespace muster::app {

// Returns three lines: the version alone ("muster 0.1.0"), the commit of the sources, and the compiler with
// the kind of build. The function may be called from any thread.
std::string build_identity();

}  // namespace muster::app
