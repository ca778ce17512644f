#include "muster/describe/validity.h"

namespace muster::accounting {

const char* name_of(Validity validity) {
  switch (validity) {
    case Validity::proven:
      return "proven";
    case Validity::conditional:
      return "conditional";
    case Validity::as_published:
      return "as-published";
  }
  return "";
}

}  // namespace muster::accounting
