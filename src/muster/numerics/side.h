// Whether a law, a table or a value that replaces another one bounds it from above or from below.
#pragma once

namespace muster::numerics {

enum class Side { above, below };

}  // namespace muster::numerics
