// The shuffler of one task: it hears devices, takes the names off, and hands a round's reports over in a
// secret order, or destroys them.
//
//  - The first valid upload of a token is on the disk, as it was received, before it is answered with
//    `stored`: sealed, in the log "uploads-ROUND".
//  - At the deadline, or once as many tokens are spent as were issued, the round is closed. If fewer devices
//    were heard than TaskDocument::needed(), it is destroyed. Otherwise the reports' inner layers are put in
//    a secret uniform order (in the log "batch-ROUND"), and the signed manifest becomes durable in the same
//    commit that erases the round's key. Then the uploads are removed.
//  - Nothing of a released round is handed out, its manifest included, before the issuer has made durable
//    that the round is released.
//  - The batch is deleted upon the aggregator's receipt, or when the ledger shows the round's outcome.
//  - A round is opened only by a ledger that continues the one that was seen before (ledger_chain.h), and
//    none after the aggregator's word that the task is over, which every device is shown.
//
// After a restart, everything goes on from the store and the logs, once the issuer has told which rounds have
// ended. The issuer knows this because it is told of every release, and because it ends the issuance of a
// round only on the shuffler's order, which is given after the round before has ended. So a shuffler that was
// restored from an older copy finds out if a round was released that the copy does not know to have ended.
// Then:
//  - It forgets what it has of these rounds. It neither hands out reports of a round that may have been
//    handed out before, nor signs that nothing of it was. From the aggregator it demands a ledger with an
//    outcome for each of these rounds.
//  - A later round, of which nothing was handed out, may be run again if the copy has its key. Without the
//    key it is destroyed. Uploads that came after the copy was made are lost in either case.
//
// One thread calls the members; Intake::check(), which does nearly all the work of an upload, may run on any
// thread (intake, take and sync). Errors of the store or a log (Error(file)) must end the process.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/service/ports/clock.h"
#include "muster/service/ports/ports.h"
#include "muster/service/shuffler/heard.h"
#include "muster/service/shuffler/intake.h"
#include "muster/service/shuffler/ledger_chain.h"
#include "muster/service/shuffler/model_blobs.h"
#include "muster/service/shuffler/shuffler_state.h"
#include "muster/service/store/log_folder.h"
#include "muster/service/store/round_key.h"
#include "muster/service/store/store.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/descriptor.h"
#include "muster/wire/key_directory.h"
#include "muster/wire/manifest.h"
#include "muster/wire/offer.h"
#include "muster/wire/signature.h"

namespace muster::service {

class Shuffler final : public ShufflerForDevices, public ShufflerForAggregator {
 public:
  // Everything must outlive the shuffler. `sizes` are those of the task's uploads. Throws Error(file) if the
  // store belongs to another task, and Error(plan) unless the key is the task's shuffler.
  Shuffler(const TaskDocument& task, const wire::SigningKey& identity, wire::UploadSizes sizes, Store& store,
           LogFolder& logs, Clock& clock, IssuerForShuffler& issuer);
  ~Shuffler() override;

  // Does what the time asks for: closes a round that is due, and between rounds tells the issuer of a release
  // and prepares the next round with it. Call it at least every second.
  void tick();

  // For devices. upload() makes the upload durable by itself.
  std::optional<Round> round() override;
  std::optional<wire::Buffer> blob(const wire::Hash& hash) override;
  Answer upload(wire::Bytes upload) override;

  // upload() in three parts, so that many threads can check and many uploads can share one sync: the round's
  // intake (nullptr while none is open); its verdict on one upload, in any order; and a sync, before which an
  // answer `stored` must not be given.
  std::shared_ptr<const Intake> intake() const;
  Answer take(const Intake& intake, wire::Bytes upload, std::optional<wire::Rejected> rejected,
              const wire::OpenedUpload& opened);
  void sync();

  // For the aggregator.
  wire::Buffer offer() override;
  wire::Buffer keys() override;
  void put_blob(wire::Bytes blob) override;
  bool open(wire::Bytes offered, std::uint64_t first, const std::vector<wire::Buffer>& rows) override;
  std::optional<wire::Buffer> manifest(std::uint64_t round) override;
  std::optional<wire::Buffer> batch(std::uint64_t round, std::uint64_t first, std::uint64_t count) override;
  bool receipt(wire::Bytes signed_receipt) override;
  bool end(wire::Bytes signed_over) override;

  wire::UploadSizes sizes() const { return sizes_; }
  std::uint64_t most_rounds() const { return task_.settings().most_rounds; }
  // The aggregator's notice that the task is over; nullopt before.
  const std::optional<wire::Buffer>& over() const { return over_; }
  // The descriptor of the open round; nullopt if none is open.
  std::optional<wire::Descriptor> descriptor() const;
  // Devices heard in the open round; 0 if none is open.
  std::uint64_t heard() const;
  // The manifest of the round that was closed last; nullopt if there is none, and once the next one is open.
  std::optional<wire::Manifest> last_manifest() const;
  // Why the shuffler waits for the issuer, in words for its operator; empty if it does not.
  std::string trouble_with_issuer() const;

 private:
  struct OpenRound;  // what is in memory while a round is open

  void recover();
  void ask_issuer(const std::function<wire::Waits()>& ask);
  void find_out_rounds();
  void forget_rounds(std::uint64_t opened);
  void resume(const StoredRound& stored, const wire::Descriptor& descriptor, std::unique_ptr<Log> log);
  void read_uploads();
  void remove_leftovers();
  bool is_due() const;
  void close_if_due();
  void close();
  wire::Buffer release(wire::Manifest manifest);
  void announce_release();
  // Whether the issuer knows that this round is released.
  bool is_announced(std::uint64_t round) const;
  void destroy(const wire::Descriptor& descriptor, const SeenLedger& ledger);
  void prepare_next();
  std::uint64_t last_issued() const;
  std::optional<wire::Buffer> close_issuance(std::uint64_t round);
  bool accept_directory(const wire::Buffer& bytes);
  std::optional<wire::KeyDirectory::Entry> entry_of(std::uint64_t round) const;
  // entry_of(), or nullopt if fewer tokens of the round were issued than it needs.
  std::optional<wire::KeyDirectory::Entry> ready_entry_of(std::uint64_t round) const;
  bool others_had_time(const wire::KeyDirectory::Entry& ready);
  bool start(const StoredRound& stored, const wire::Descriptor& descriptor, const SeenLedger& ledger);
  bool open_is(std::uint64_t round) const;

  const TaskDocument& task_;
  const wire::SigningKey& identity_;
  wire::UploadSizes sizes_;
  Store& store_;
  LogFolder& logs_;
  Clock& clock_;
  IssuerForShuffler& issuer_;

  ModelBlobs blobs_{store_};
  SeenLedger ledger_;
  bool knows_rounds_ = false;    // whether the issuer has told, since the start, which rounds ended
  std::optional<RoundKey> key_;  // of the open round, or of the next one
  wire::Waits waits_ = wire::Waits::nothing;
  std::string unreachable_;  // why the issuer was not reached when it was last
  // A round of which enough tokens were issued, and the time on the steady clock when that was first seen.
  std::pair<std::uint64_t, std::int64_t> enough_{};
  std::optional<wire::KeyDirectory> directory_;
  std::unique_ptr<OpenRound> open_;
  std::optional<wire::Buffer> over_;
  std::optional<wire::Buffer> manifest_;                        // of the round closed last
  std::unique_ptr<Log> batch_;                                  // its batch, until there is a receipt
  std::array<std::uint64_t, wire::kRejectReasons> rejected_{};  // in the open round, since the last start
};

}  // namespace muster::service
