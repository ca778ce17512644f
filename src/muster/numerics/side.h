// Whether a law, a table or a value that replaces another one bounds it from above or from below. A type
// only; there is nothing to call.
#pragma once

namespace muster::numerics {

enum class Side { above, below };

}  // namespace muster::numerics
