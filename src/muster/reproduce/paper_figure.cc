#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::reported:
      return "reported";
    case Kind::published:
      return "published";
    case Kind::corrected:
      return "corrected";
    case Kind::proven:
      return "proven";
    case Kind::lower:
      return "lower";
    case Kind::simulated:
      return "simulated";
  }
  return "";
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::holds_with_a_note:
      return "holds with a note";
    case Verdict::not_reproduced:
      return "not reproduced";
    case Verdict::is_false:
      return "false";
  }
  return "";
}

}  // namespace muster::reproduce
