// This target is the reader of task documents. An input is the text of one. Only one text says what a
// document says, so a document that is read must have the input as its text.
#include <cstdlib>

#include "muster/core/error.h"
#include "muster/service/task/task_document.h"
#include "tests/fuzz/fuzz_target.h"

namespace muster::fuzz {

bool accepts(Input input) {
  const std::string text = text_of(input);
  return accepted(
      [&] {
        if (service::TaskDocument::parse(text, "task").text() != text) std::abort();
      },
      {ErrorCode::file});
}

}  // namespace muster::fuzz
