// What an adversary sees of a round. Callable from any thread.
#pragma once

namespace muster::accounting {

enum class View { shuffler_honest, shuffler_colludes, sum_only, server_trusted };

const char* name_of(View view);  // "shuffler-honest", ...

}  // namespace muster::accounting
