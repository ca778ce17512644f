// What an adversary sees of a round. Callable from any thread.
#pragma once

namespace muster::accounting {

enum class View { shuffler_honest, shuffler_colludes, sum_only, server_trusted };

const char* name_of(View view);  // "shuffler-honest", ...

// Whether the adversary of a protocol without slots sees no single message, but each round's sum and number of
// messages: directly, or through the models and numbers that a trusted server releases.
constexpr bool sees_sums_alone(View view) { return view == View::sum_only || view == View::server_trusted; }

}  // namespace muster::accounting
