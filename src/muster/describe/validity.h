// How far a bound may be relied on. Pure functions; call from any thread.
#pragma once

namespace muster::accounting {

// A proven bound holds as stated. A conditional one rests on an assumption that its text names and that the
// program cannot check. One that is as published is a formula of a paper, shown for comparison, and may be
// wrong.
enum class Validity { proven, conditional, as_published };

const char* name_of(Validity validity);  // "proven", "conditional", "as-published"

}  // namespace muster::accounting
