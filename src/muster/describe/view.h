// What an adversary sees of a round. Pure functions; call from any thread.
#pragma once

#include <string>

namespace muster::accounting {

// With shuffler_honest, the adversary sees every message, but not who sent it; with shuffler_colludes, also
// who sent each message; with sum_only, only the sum and the number of messages; with server_trusted, only
// what a trusted server releases.
enum class View { shuffler_honest, shuffler_colludes, sum_only, server_trusted };

const char* name_of(View view);  // "shuffler-honest", ...
// Throws Error(plan) if no view has this name; `asked_by` is the flag or argument that gave it.
View view_named(const std::string& name, const std::string& asked_by);

// Whether the adversary of a protocol without slots sees only the sum and the number of each round's
// messages. A trusted server shows them through the models and counts that it releases.
constexpr bool sees_sums_alone(View view) { return view == View::sum_only || view == View::server_trusted; }

}  // namespace muster::accounting
