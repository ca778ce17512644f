// A schedule of faults for the simulated deployment (world.h): a list of operations that is drawn from a
// seed, and made shorter as long as it finds the same. The functions are pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace muster::deployment {

enum class Role : std::uint8_t { shuffler, issuer, aggregator, device };

struct Operation {
  enum class Kind : std::uint8_t {
    pass,           // time passes, and everybody does what is due
    lose_request,   // the next call between two processes does not arrive
    lose_response,  // it arrives, and its answer does not
    twice,          // it arrives twice
    replay,         // an earlier upload is sent again
    malformed,      // an earlier upload is sent with a byte changed
    kill,           // a process dies at one of its next operations on its disk, and loses what was not synced
    restart,        // a process ends in order and starts again
    back_up,        // a process's disk is copied
    restore,        // a process goes on from that copy
    jump,           // a process is restarted after the wall clock was set to another time
  };
  Kind kind = Kind::pass;
  Role role = Role::shuffler;
  std::uint64_t number = 0;  // what it means depends on the kind
};

using Schedule = std::vector<Operation>;

Schedule draw_schedule(std::uint64_t seed);
std::string text_of(const Schedule& schedule);
// Removes operations as long as `fails` remains true, and returns what is left.
Schedule shrink(Schedule schedule, const std::function<bool(const Schedule&)>& fails);

}  // namespace muster::deployment
