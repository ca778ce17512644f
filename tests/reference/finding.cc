#include "tests/reference/finding.h"

namespace muster::reference {

const char* name_of(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::too_small:
      return "FALSE";
    case Finding::Kind::died:
      return "DIED";
    case Finding::Kind::disorder:
      return "ORDER";
    case Finding::Kind::slow:
      return "SLOW";
  }
  return "";
}

}  // namespace muster::reference
