// Which data sets a guarantee calls neighbours. Pure functions; call from any thread.
#pragma once

namespace muster::accounting {

// Neighbours differ in one client: with replace_one, in what the client holds; with add_remove, in whether
// there is that client; with zero_out, in whether the client's vector is zero.
enum class Neighbouring { replace_one, add_remove, zero_out };

const char* name_of(Neighbouring neighbouring);  // "replace-one", ...

}  // namespace muster::accounting
