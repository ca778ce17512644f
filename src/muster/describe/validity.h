// How far a bound may be relied on. Pure functions; call from any thread.
#pragma once

namespace muster::accounting {

// A proven bound needs only the assumptions that it lists. A conditional one also rests on a conjecture,
// which it names. One that is as published is a paper's printed formula, which may be wrong and is never
// charged.
enum class Validity { proven, conditional, as_published };

const char* name_of(Validity validity);  // "proven", "conditional", "as-published"

}  // namespace muster::accounting
