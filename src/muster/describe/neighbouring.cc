#include "muster/describe/neighbouring.h"

namespace muster::accounting {

const char* name_of(Neighbouring neighbouring) {
  switch (neighbouring) {
    case Neighbouring::replace_one:
      return "replace-one";
    case Neighbouring::add_remove:
      return "add-remove";
    case Neighbouring::zero_out:
      return "zero-out";
  }
  return "";
}

}  // namespace muster::accounting
