// What the shuffler has in memory while a round is open. It belongs to the shuffler's thread, except for the
// intake.
#pragma once

#include <cstdint>
#include <memory>

#include "muster/service/shuffler/heard.h"
#include "muster/service/shuffler/intake.h"
#include "muster/service/shuffler/shuffler.h"
#include "muster/service/shuffler/shuffler_state.h"
#include "muster/service/store/log.h"
#include "muster/wire/descriptor.h"

namespace muster::service {

struct Shuffler::OpenRound {
  StoredRound stored;
  wire::Descriptor descriptor;
  std::shared_ptr<const Intake> intake;
  Heard heard;
  std::unique_ptr<Log> log;
  std::int64_t ends_at;  // on the steady clock
};

}  // namespace muster::service
