// Makes the descriptor of a round from the entry that opened it in the ledger, so that devices bind their
// uploads to what the ledger says. The function is pure.
#pragma once

#include "muster/service/ledger/entry.h"
#include "muster/wire/descriptor.h"

namespace muster::service {

// `hash` is that of the entry, and the head of the ledger when the descriptor is signed.
inline wire::Descriptor descriptor_of(const OpenEntry& open, const wire::Hash& task, const wire::Hash& hash) {
  return {.task = task,
          .round = open.round,
          .update = open.update,
          .model = open.model,
          .frozen = open.frozen,
          .shuffler = open.shuffler,
          .aggregator = open.aggregator,
          .token_key = open.token_key,
          .ledger_head = hash};
}

}  // namespace muster::service
