// The issuer of one task: it gives every enrolled device one token a round, without learning which device
// spends which (wire/token.h), and publishes a signed directory of the rounds' keys (wire/key_directory.h).
//
// Its rules, which issuer_test.cc and issuer_crash_test.cc test:
//  - A device gets one token for a round. The same request gets the same answer, since these signatures are
//    deterministic; another request of the device for that round is refused, and with it its whole block.
//    What was answered is durable before the answer may leave.
//  - Requests are signed by enrolled devices. No key is made while fewer of them are enrolled than a round
//    needs.
//  - What the directory says only grows, and so does its serial. A directory is durable before anybody sees
//    it, and two that differ never have the same serial.
//  - The shuffler ends the issuance of a round before it opens it. The round's key is then erased. The round
//    stays in the directory, with its final number of tokens, until the issuance of the next one ends.
//  - The shuffler hands out the reports of a round only after the directory says that the round is released,
//    so that a shuffler whose own memory is lost learns from the issuer which rounds it must not run again.
//
// In the store are the rows of enrolment.h and these blobs, which are always changed together, in one commit:
//
//     issuer      = version u8, which is 1 | task 32 | rounds closed u64       41 bytes
//     directory   = the signed directory that was published last
//     key-ROUND   = the secret key of a round that is not closed, PKCS #8
//
// Its logs are tokens-ROUND (round_tokens.h), one for each such key. A sync takes one write for each round
// that issued tokens since the last one, and so it pays to take many blocks before it.
//
// An issuer must not be restored from an older copy. Nothing on its own disk can tell it that it was, and it
// would give second tokens to devices that it has forgotten. The other roles compare its directories by
// follows() (wire/key_directory.h). The upper 32 bits of a directory's serial count the rounds closed, and
// the lower ones what was published since. What becomes of a copy depends on what it lacks:
//  - If it lacks the end of a round, its serial stays below those that others have seen, and they refuse it.
//    Only the shuffler's orders, given again for each lost round, could raise the serial.
//  - If it lacks a key that others have seen, it makes another one for that round, and is refused for ever.
//  - If it lacks only tokens of rounds that are not closed, it is refused until it has published as often and
//    issued as much as the original. After that nothing tells it from the original, and each device that asks
//    twice may be heard twice.
//  - If it has no store at all, it begins at serial 1 and is refused. A new task is needed.
// Operators should therefore back up the identity key and the list of devices, and nothing else.
//
// After an Error the process must end (store.h, log.h). An issuer belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "muster/service/issuer/enrolment.h"
#include "muster/service/issuer/round_tokens.h"
#include "muster/service/ports/ports.h"
#include "muster/service/store/log_folder.h"
#include "muster/service/store/store.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/blind_rsa.h"
#include "muster/wire/issuance.h"
#include "muster/wire/key_directory.h"
#include "muster/wire/signature.h"

namespace muster::service {

class Issuer final : public IssuerForDevices, public IssuerForShuffler {
 public:
  using MakeKey = std::function<wire::RsaSecretKey()>;

  // Goes on with what the store has, or begins if it is empty. Store and logs must outlive the issuer;
  // `origin` names the store in errors. Throws Error(file) if the store is of another task, if `identity` is
  // not the issuer that the task names, or if a part of what was stored is missing or damaged.
  Issuer(TaskDocument task, wire::SigningKey identity, Store& store, LogFolder& logs, std::string origin,
         MakeKey make_key = wire::RsaSecretKey::fresh);

  // Enrols those devices that are not enrolled yet, and returns how many they were.
  std::uint64_t enrol(std::span<const wire::IdentityKey> devices);
  std::uint64_t enrolled() const { return enrolment_.size(); }

  // Makes the missing keys of the next `rounds_ahead` rounds that are not closed (at most 1023, and none
  // beyond the last round of the task), and publishes each. Making one takes about a third of a second.
  // Throws Error(plan, out_of_range) while fewer devices are enrolled than a round needs.
  void prepare(std::uint64_t rounds_ahead);
  // Publishes a directory with the present numbers of devices and tokens, if they have changed. Call it from
  // time to time: issuing alone publishes nothing, so that requests cannot cause many directories.
  void publish();

  // The directory that was published last: its signed bytes, and its content.
  wire::Buffer keys() override { return published_; }
  const wire::KeyDirectory& directory() const { return directory_; }
  std::uint64_t closed() const { return closed_; }  // rounds 1 .. closed() are closed
  // Answers a block of requests. The answer may leave once sync() has returned, or with tokens() at once.
  Tokens take(wire::Bytes signed_block);
  void sync();
  Tokens tokens(wire::Bytes signed_block) override;
  std::optional<wire::Buffer> close_issuance(wire::Bytes signed_close) override;
  std::optional<wire::Buffer> note_release(wire::Bytes signed_notice) override;

 private:
  using Directory = wire::KeyDirectory;

  [[noreturn]] void refuse(const std::string& why) const;
  std::uint64_t closed_in_store() const;
  void load();
  void load_round(const Directory::Entry& entry);
  void remove_other_logs();
  void make_round(std::uint64_t round);
  bool may_ask(std::uint32_t device, const std::vector<wire::TokenBlock::Entry>& entries) const;
  // The last directory with the present numbers, all of which are durable.
  Directory present();
  // Makes the changes durable together with the directory, whose serial is set, and publishes it.
  void commit(Directory next, std::uint64_t closed, Store::Commit changes);

  TaskDocument task_;
  wire::SigningKey identity_;
  Store& store_;
  LogFolder& logs_;
  std::string origin_;
  MakeKey make_key_;
  std::uint64_t closed_;  // rounds 1 .. closed_ are closed
  Enrolment enrolment_;
  std::map<std::uint64_t, RoundTokens> rounds_;  // those that have a key
  Directory directory_;                          // published last
  wire::Buffer published_;                       // the same, signed
};

}  // namespace muster::service
