// Lets every muster::Error leave the extension as the exception that muster/errors.py defines for its code.
#pragma once

namespace muster::python {

// Call once, when the extension is loaded.
void translate_errors();

}  // namespace muster::python
