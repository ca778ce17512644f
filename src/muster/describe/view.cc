#include "muster/describe/view.h"

#include "muster/core/error.h"

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

View view_named(const std::string& name, const std::string& asked_by) {
  std::string names;
  for (const View view :
       {View::shuffler_honest, View::shuffler_colludes, View::sum_only, View::server_trusted}) {
    if (name == name_of(view)) return view;
    names += (names.empty() ? "" : " | ") + std::string(name_of(view));
  }
  throw Error(ErrorCode::plan, Reason::unknown, asked_by, name, names, "is an unknown view");
}

}  // namespace muster::accounting
