// From which side a law, a table or a value that stands for another one bounds it.
#pragma once

namespace muster::numerics {

enum class Side { above, below };

}  // namespace muster::numerics
