#include "muster/simulation/fidelity.h"

#include "muster/core/error.h"

namespace muster::simulation {

const char* name_of(Fidelity fidelity) { return fidelity == Fidelity::sum ? "sum" : "message"; }

Fidelity fidelity_named(const std::string& text) {
  for (const Fidelity fidelity : {Fidelity::message, Fidelity::sum}) {
    if (text == name_of(fidelity)) {
      return fidelity;
    }
  }
  throw Error(ErrorCode::usage, Reason::unknown, "--fidelity", text, "message | sum",
              "is an unknown fidelity");
}

}  // namespace muster::simulation
