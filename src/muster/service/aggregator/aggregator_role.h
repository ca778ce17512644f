// The aggregator of one task: it opens rounds, pulls their batches from the shuffler, learns from them, and
// writes into its ledger what every round cost. docs/glossary.md, "Deployment", explains the words used here.
//
//  - The ledger's first entry reserves what all planned rounds cost. Before it, the plan's budget must pay
//    for one round, and the population's budget for all.
//  - A round is in the ledger, and its key in the store, before the shuffler hears of it. Whatever is lost on
//    the way, the same descriptor is offered again; a round is never entered twice.
//  - The first valid manifest of a released round is stored before a byte of the batch is asked for. No other
//    word about the round is accepted after that.
//  - A round ends in one transaction: its outcome, the model, the receipt, and the removal of its key. The
//    receipt is sent after that, until the shuffler accepts it.
//  - A batch that cannot be used is charged like any other (SpentEntry). Only a round that the shuffler says
//    it has destroyed costs nothing.
//  - Once the task is over, the shuffler is told, which tells all devices.
//  - An aggregator whose ledger is not the one that the shuffler saw last, or lacks the outcome of a round
//    that a restored shuffler has forgotten, refuses to go on (Error(file)), unless an operator charges the
//    rounds that may be lost. Rounds beyond the planned ones need no charge: the ledger that was lost has not
//    charged them either, so the task then ends.
//
// step() never waits, except for the answers of the shuffler. After a restart everything goes on from the
// store. Errors of the store (Error(file)) must end the process. An object belongs to one thread.
//
// Example:
//     AggregatorRole aggregator(task, identity, store, shuffler, learner, epsilon_of(task.plan()));
//     Progress progress = aggregator.step();
//     for (; progress.state != Progress::State::ended; progress = aggregator.step()) {
//       ... show progress.reason, wait a second ...
//     }
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "muster/service/aggregator/aggregator_state.h"
#include "muster/service/aggregator/batch_pull.h"
#include "muster/service/aggregator/learner.h"
#include "muster/service/aggregator/population_budget.h"
#include "muster/service/aggregator/round_history.h"
#include "muster/service/ledger/ledger.h"
#include "muster/service/ports/ports.h"
#include "muster/service/store/store.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/descriptor.h"
#include "muster/wire/key_directory.h"
#include "muster/wire/manifest.h"
#include "muster/wire/offer.h"
#include "muster/wire/receipt.h"
#include "muster/wire/signature.h"

namespace muster::service {

struct AggregatorOptions {
  // Goes on although the ledger is not the one that the shuffler saw last, or a round's outcome is lost, with
  // the lost rounds charged. An operator's stop() then also ends a task whose open round waits for an issuer.
  bool charge_lost_rounds = false;
  // The budget in which the task reserves its cost, beside the other tasks on its population; null for none.
  // It is needed only while the aggregator is made.
  PopulationBudget* population = nullptr;
  // How errors name the ledger: by the path of the store.
  std::string origin = "ledger";
};

// What the aggregator is doing.
struct Progress {
  enum class State {
    waiting,  // no round is open, or the shuffler does not know yet that it is
    open,     // devices take part in the round
    closing,  // the round's batch is being pulled
    ended,    // the task is over
  };
  State state = State::waiting;
  std::uint64_t round = 0;           // the open round, or the next one; the last one if the task is over
  std::string reason;                // what it waits for, or how it ended, as shown to users
  std::optional<std::string> alarm;  // why the check-ins do not fit the declared rate
};

class AggregatorRole {
 public:
  // `epsilon` returns the epsilon of the plan after a number of rounds (simulation::epsilon_of). Everything
  // but the options must outlive the object. Throws Error(plan) unless `identity` is the task's aggregator;
  // Error(budget) if the plan's budget does not pay for one round, or that of the population for all;
  // Error(file) if the store is damaged or belongs to another task.
  AggregatorRole(const TaskDocument& task, const wire::SigningKey& identity, Store& store,
                 ShufflerForAggregator& shuffler, Learner& learner,
                 std::function<double(std::uint64_t)> epsilon, AggregatorOptions options = {});

  // Does what comes next. Throws Error(file), with both heads, if the ledger is not the one that the shuffler
  // saw last; and with both numbers of rounds if neither of the two knows what became of a round.
  Progress step();
  // Ends the task as soon as no round is open and the shuffler knows of none that the ledger lacks, also
  // after a restart. With `charge_lost_rounds`, a round that the shuffler cannot end without the issuer is
  // charged, and does not keep the task from ending.
  void stop();

  const Ledger& ledger() const { return ledger_; }
  std::uint64_t planned_rounds() const { return planned_; }  // within the plan's budget
  const RejectedCounts& rejected() const { return rejected_; }
  const RoundHistory& history() const { return history_; }
  // The number of enrolled devices, by the issuer's directory that this object read last; nullopt before.
  const std::optional<std::uint64_t>& enrolled() const { return enrolled_; }

  // How often a batch that is not the manifest's is asked for before the round is charged without it.
  static constexpr int kPulls = 3;

 private:
  // What the ledger reserved for this task. Throws Error(file) if it is not this task's, or not the same cost
  // as `reserved` (same_cost.h).
  const TaskEntry& own_reservation(const TaskEntry& reserved) const;
  Progress progress(Progress::State state, std::string reason) const;
  Progress::State state_now() const;

  Progress act();
  void send_receipt();
  void send_end();
  std::optional<EndEntry::Why> end_reason();
  Progress end(EndEntry::Why why);

  std::optional<wire::Offer> fetch_offer();
  bool is_known(const wire::Offer& offer) const;
  void charge_lost_rounds(const wire::Offer& offer);
  [[noreturn]] void refuse_lost_rounds(const wire::Offer& offer) const;
  void charge_as_lost();
  // Whether the open round, of which there is no manifest, is to be charged since an operator ends the task
  // and the shuffler lacks the issuer.
  bool is_given_up(const wire::Offer& offer) const;

  wire::Descriptor descriptor() const;  // of the open round
  std::optional<std::string> what_shuffler_waits_for(const wire::Offer& offer) const;
  std::string issued_text(std::uint64_t round, std::uint64_t issued) const;
  Progress open_next(const wire::Offer& offer);
  // The issuer's entry for the round; nullopt, with the reason, while it cannot be opened.
  std::optional<wire::KeyDirectory::Entry> token_key_of(std::uint64_t round, std::string& reason);
  Progress announce(const wire::Offer& offer);
  bool send_open(const wire::Offer& offer);

  Progress go_on(const wire::Offer& offer);
  // The manifest's content if it is the shuffler's word about the open round.
  std::optional<wire::Manifest> read_own_manifest(wire::Bytes bytes) const;
  Progress close(const SignedManifest& bytes);
  Progress release(const SignedManifest& bytes, const wire::Manifest& manifest, const ReportCounts& counts);
  Progress spend(SpentEntry::Why why, const SignedManifest& bytes, const wire::Manifest& manifest);
  Progress void_round(const SignedManifest& bytes, const wire::Manifest& manifest);
  // Writes the outcome of the open round, with what always goes with it, and the receipt if there is one.
  void conclude(const Entry& outcome, std::optional<wire::Receipt> receipt, Store::Commit beside);
  wire::Receipt receipt_of(const SignedManifest& bytes, wire::Receipt::Outcome outcome) const;

  const TaskDocument& task_;
  const wire::SigningKey& identity_;
  Store& store_;
  ShufflerForAggregator& shuffler_;
  Learner& learner_;
  std::function<double(std::uint64_t)> epsilon_;
  AggregatorOptions options_;

  Ledger ledger_;
  std::uint64_t planned_;
  RejectedCounts rejected_;
  RoundHistory history_;
  std::optional<std::uint64_t> enrolled_;
  std::optional<BatchPull> pull_;
  int failed_pulls_ = 0;
  bool has_told_end_ = false;
};

}  // namespace muster::service
