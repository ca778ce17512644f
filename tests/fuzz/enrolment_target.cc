// This target is the reader of enrolment files. An input is the text of one.
#include "muster/core/error.h"
#include "muster/service/issuer/enrolment.h"
#include "tests/fuzz/fuzz_target.h"

namespace muster::fuzz {

bool accepts(Input input) {
  return accepted([&] { service::read_enrolment(text_of(input), "devices.pub"); }, {ErrorCode::file});
}

}  // namespace muster::fuzz
