#include "muster/service/shuffler/shuffler.h"

#include <sodium.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/protocols/shuffle.h"
#include "muster/service/shuffler/open_round.h"
#include "muster/service/store/claim.h"
#include "muster/simulation/ranks.h"
#include "muster/simulation/worker_team.h"
#include "muster/wire/descriptor.h"
#include "muster/wire/hash.h"

namespace muster::service {

using wire::Buffer;
using wire::Bytes;
using wire::Manifest;
using wire::Rejected;
using wire::Waits;

Shuffler::Shuffler(const TaskDocument& task, const wire::SigningKey& identity, wire::UploadSizes sizes,
                   Store& store, LogFolder& logs, Clock& clock, IssuerForShuffler& issuer)
    : task_(task),
      identity_(identity),
      sizes_(sizes),
      store_(store),
      logs_(logs),
      clock_(clock),
      issuer_(issuer) {
  if (identity.identity() != task.settings().shuffler) {
    throw Error(ErrorCode::plan, Reason::contradiction, "task.shuffler", "", "",
                "is not the identity of this shuffler's key");
  }
  claim_for(store, task.name());
  recover();
}

Shuffler::~Shuffler() = default;

void Shuffler::recover() {
  ledger_ = read_ledger(store_).value_or(SeenLedger{});
  key_ = read_round_key(store_);
  if (const auto stored = store_.blob("directory")) accept_directory(*stored);
  find_out_rounds();
  manifest_ = store_.blob("manifest");
  over_ = store_.blob("over");
  const auto stored = read_round(store_);
  const auto names = logs_.names();
  if (stored) {
    const auto descriptor =
        wire::read_descriptor(stored->descriptor, task_.settings().aggregator, identity_.identity());
    if (!descriptor) throw Error(ErrorCode::file, "round", "", "", "is damaged in the shuffler's store");
    const bool has_log = std::ranges::find(names, uploads_of(descriptor->round)) != names.end();
    if (has_log && key_ && key_->round == descriptor->round) {
      resume(*stored, *descriptor, logs_.open(uploads_of(descriptor->round), sizes_.upload()));
      read_uploads();
    } else {
      // The folder was put together from copies of different times, perhaps after the round was handed out.
      forget_rounds(descriptor->round);
    }
  }
  if (const auto closed = last_manifest(); closed && closed->outcome == Manifest::Outcome::released) {
    const std::string name = batch_of(closed->round);
    const bool waits = std::ranges::find(names, name) != names.end() && !store_.blob("receipt");
    if (waits) batch_ = logs_.open(name, closed->width);
  }
  remove_leftovers();
}

// The directory says which round was released last. It begins with the round whose issuance the shuffler
// ended last, and the shuffler did so after all earlier rounds had ended. If the shuffler's own memory knows
// of fewer rounds, it was restored from an older copy.
void Shuffler::find_out_rounds() {
  if (knows_rounds_) return;
  ask_issuer([&] { return accept_directory(issuer_.keys()) ? Waits::nothing : Waits::directory; });
  if (waits_ != Waits::nothing) return;
  const std::uint64_t opened = std::max(std::max<std::uint64_t>(1, last_issued()) - 1, directory_->released);
  const bool is_open = store_.blob("round").has_value();
  if (opened > ledger_.opened || (is_open && opened == ledger_.opened)) forget_rounds(opened);
  knows_rounds_ = true;
}

// Asks the issuer something, and notes what the shuffler waits for after that. If the issuer cannot be
// reached, it is asked again at the next tick.
void Shuffler::ask_issuer(const std::function<Waits()>& ask) {
  try {
    waits_ = ask();
  } catch (const Unreachable& error) {
    waits_ = Waits::issuer;
    unreachable_ = error.what();
  }
}

std::string Shuffler::trouble_with_issuer() const {
  switch (waits_) {
    case Waits::nothing:
    case Waits::issuance:
      break;
    case Waits::issuer:
      return "the issuer cannot be reached: " + unreachable_;
    case Waits::directory:
      return "the issuer's key directory is refused: it is of another task, or older than one that was seen";
  }
  return {};
}

// What an older copy of the store has of a round that went on after it was made must not be used. Otherwise
// the round would be handed out a second time, with other reports, and the difference would tell which of
// them came late.
void Shuffler::forget_rounds(std::uint64_t opened) {
  const SeenLedger ledger{.place = {}, .opened = opened};
  store_.commit({{}, {{"ledger", encode(ledger)}}, {"round", "key", "manifest", "receipt"}});
  ledger_ = ledger;
  key_.reset();
  open_.reset();
  manifest_.reset();
  batch_.reset();
  remove_leftovers();
}

void Shuffler::resume(const StoredRound& stored, const wire::Descriptor& descriptor,
                      std::unique_ptr<Log> log) {
  const std::int64_t whole = static_cast<std::int64_t>(task_.settings().seconds) * 1000;
  // A wall clock that jumped makes the round end early, or late by its own length at most.
  const std::int64_t left = std::clamp<std::int64_t>(stored.deadline_ms - clock_.wall_ms(), 0, whole);
  auto token_key = wire::RsaPublicKey::of_modulus(stored.modulus);
  if (!token_key) throw Error(ErrorCode::file, "round", "", "", "is damaged in the shuffler's store");
  const auto intake = std::make_shared<const Intake>(
      wire::HpkeKeyPair::from_secret(wire::SecretBytes<wire::kHpkeKey>(key_->pair.secret().span())),
      task_.name(), descriptor.round, wire::descriptor_hash(descriptor), *std::move(token_key), sizes_);
  open_ = std::make_unique<OpenRound>(OpenRound{stored, descriptor, intake, Heard(sizes_.inner()),
                                                std::move(log), clock_.steady_ms() + left});
  rejected_ = {};
}

// What is in the log was checked before it was stored, so that a record that does not open is damage. Opening
// an upload takes 30 microseconds, which is nearly all of the time. So all cores open a piece of the log
// while its uploads wait to be taken in their order.
void Shuffler::read_uploads() {
  constexpr std::uint64_t kPiece = 4096;
  Log& log = *open_->log;
  const unsigned threads = log.size() > kPiece ? simulation::usual_threads() : 1;
  simulation::WorkerTeam team(threads);
  std::vector<wire::OpenedUpload> opened(std::min(kPiece, log.size()));
  for (std::uint64_t first = 0; first < log.size(); first += kPiece) {
    const std::uint64_t count = std::min(kPiece, log.size() - first);
    Buffer piece;
    log.read(first, count, [&](Bytes upload) { piece.insert(piece.end(), upload.begin(), upload.end()); });
    const auto upload = [&](std::uint64_t i) { return Bytes(piece).subspan(i * log.width(), log.width()); };
    team.run([&](unsigned worker) {
      for (std::uint64_t i = worker; i < count; i += threads) {
        if (open_->intake->open(upload(i), opened[i])) {
          throw Error(ErrorCode::file, uploads_of(open_->descriptor.round), "", "",
                      "has an upload that does not open: it is not the log of this round");
        }
      }
    });
    for (std::uint64_t i = 0; i < count; ++i) open_->heard.take(opened[i], upload(i));
  }
}

// Removes the logs that are still there because the process died before it could remove them.
void Shuffler::remove_leftovers() {
  for (const std::string& name : logs_.names()) {
    const bool is_used = (open_ && name == uploads_of(open_->descriptor.round)) ||
                         (batch_ && name == batch_of(last_manifest()->round));
    if (!is_used) logs_.remove(name);
  }
}

std::optional<ShufflerForDevices::Round> Shuffler::round() {
  if (over_) return Round{{}, 0, *over_};
  if (close_if_due(); !open_ || is_due()) return std::nullopt;
  return Round{open_->stored.descriptor, open_->ends_at - clock_.steady_ms(), {}};
}

std::optional<Buffer> Shuffler::blob(const wire::Hash& hash) { return blobs_.get(hash); }

std::shared_ptr<const Intake> Shuffler::intake() const { return open_ ? open_->intake : nullptr; }

Answer Shuffler::take(const Intake& intake, Bytes upload, std::optional<Rejected> rejected,
                      const wire::OpenedUpload& opened) {
  close_if_due();
  if (!rejected && (!open_ || is_due() || open_->intake.get() != &intake)) return Answer::over;
  if (!rejected) {
    switch (open_->heard.take(opened, upload)) {
      case Heard::Upload::first:
        open_->log->append(upload);
        return Answer::stored;
      case Heard::Upload::again:
        return Answer::stored;
      case Heard::Upload::other:
      case Heard::Upload::copied:
        // The answer tells the sender neither what others sent nor that these bytes are not used.
        ++rejected_[static_cast<std::size_t>(Rejected::repeated)];
        return Answer::stored;
    }
  }
  ++rejected_[static_cast<std::size_t>(*rejected)];
  // An upload for a later round is counted as `late` as well, but its round is not over.
  const bool over = *rejected == Rejected::late && is_of_a_round_before(intake.round(), sizes_, upload);
  return over ? Answer::over : Answer::refused;
}

void Shuffler::sync() {
  if (open_) open_->log->sync();
}

Answer Shuffler::upload(Bytes upload) {
  close_if_due();
  const std::shared_ptr<const Intake> intake = this->intake();
  if (!intake) {
    return is_of_a_round_before(ledger_.opened + 1, sizes_, upload) ? Answer::over : Answer::refused;
  }
  wire::OpenedUpload opened;
  const std::optional<Rejected> rejected = intake->check(upload, opened);
  const Answer answer = take(*intake, upload, rejected, opened);
  if (answer == Answer::stored) sync();
  return answer;
}

std::optional<wire::Descriptor> Shuffler::descriptor() const {
  return open_ ? std::optional(open_->descriptor) : std::nullopt;
}

std::uint64_t Shuffler::heard() const { return open_ ? open_->heard.devices() : 0; }

void Shuffler::tick() {
  find_out_rounds();
  close_if_due();
  if (open_) return;
  announce_release();
  prepare_next();
}

bool Shuffler::is_due() const {
  const bool everybody = open_->heard.devices() >= open_->stored.issued;
  return everybody || clock_.steady_ms() >= open_->ends_at;
}

// After a restart, a round is closed only once it is certain that it was not closed before.
void Shuffler::close_if_due() {
  if (open_ && is_due() && knows_rounds_) close();
}

void Shuffler::close() {
  const std::uint64_t round = open_->descriptor.round;
  const Manifest counted{.task = task_.name(),
                         .round = round,
                         .descriptor = open_->intake->descriptor(),
                         .outcome = Manifest::Outcome::destroyed,
                         .heard = open_->heard.devices(),
                         .rejected = rejected_};
  const bool enough = counted.heard >= task_.needed();
  Buffer manifest = enough ? release(counted) : wire::sign_manifest(counted, identity_);
  store_.commit({{}, {{"manifest", manifest}}, {"round", "key", "receipt"}});
  manifest_ = std::move(manifest);
  key_.reset();
  open_.reset();
  remove_leftovers();
}

// Writes the batch in a secret order, and returns the signed manifest that states it. If the process dies
// before the manifest is durable, nobody has seen this order, and another one takes its place.
Buffer Shuffler::release(Manifest manifest) {
  const Heard& heard = open_->heard;
  if (heard.reports() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::internal, "reports", "", "", "are more than one shuffle can hold");
  }
  std::vector<std::uint32_t> order(heard.reports());
  std::iota(order.begin(), order.end(), 0u);
  protocols::secret_shuffle(std::span(order), manifest.round);
  batch_ = logs_.create(batch_of(manifest.round), sizes_.inner());
  wire::RunningHash hash;
  for (const std::uint32_t i : order) {
    hash.add(heard.report(i));
    batch_->append(heard.report(i));
  }
  batch_->sync();
  sodium_memzero(order.data(), order.size() * sizeof order.front());
  manifest.outcome = Manifest::Outcome::released;
  manifest.reports = order.size();
  manifest.width = static_cast<std::uint32_t>(sizes_.inner());
  manifest.batch = hash.finish();
  return wire::sign_manifest(manifest, identity_);
}

// Signs that nothing of this round has left the shuffler. Nothing ever will, because no key remains that
// opens its uploads.
void Shuffler::destroy(const wire::Descriptor& descriptor, const SeenLedger& ledger) {
  const Manifest none{.task = task_.name(),
                      .round = descriptor.round,
                      .descriptor = wire::descriptor_hash(descriptor),
                      .outcome = Manifest::Outcome::destroyed};
  Buffer manifest = wire::sign_manifest(none, identity_);
  store_.commit({{}, {{"manifest", manifest}, {"ledger", encode(ledger)}}, {"round", "key", "receipt"}});
  manifest_ = std::move(manifest);
  ledger_ = ledger;
  key_.reset();
  open_.reset();
  batch_.reset();
  remove_leftovers();
}

}  // namespace muster::service
