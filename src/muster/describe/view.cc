#include "muster/describe/view.h"

namespace muster::accounting {

const char* name_of(View view) {
  switch (view) {
    case View::shuffler_honest:
      return "shuffler-honest";
    case View::shuffler_colludes:
      return "shuffler-colludes";
    case View::sum_only:
      return "sum-only";
    case View::server_trusted:
      return "server-trusted";
  }
  return "";
}

}  // namespace muster::accounting
