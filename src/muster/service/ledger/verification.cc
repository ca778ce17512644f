#include "muster/service/ledger/verification.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "muster/core/error.h"
#include "muster/core/overloaded.h"
#include "muster/service/ledger/descriptor_of.h"
#include "muster/service/ledger/same_cost.h"
#include "muster/service/task/planned_rounds.h"
#include "muster/wire/manifest.h"

namespace muster::service {
namespace {

using wire::Manifest;

class Verifier {
 public:
  Verifier(const TaskDocument& task, const std::function<double(std::uint64_t)>& epsilon)
      : task_(task), epsilon_(epsilon) {}

  void take(const Entry& entry, const wire::Hash& hash) {
    std::visit(Overloaded{
                   [&](const TaskEntry& e) { take_task(e); },
                   [&](const OpenEntry& e) { take_open(e, hash); },
                   [&](const ReleaseEntry& e) { take_release(e); },
                   [&](const SpentEntry& e) { take_spent(e); },
                   [&](const VoidEntry& e) { take_void(e); },
                   [&](const EndEntry& e) { take_end(e); },
               },
               entry);
    ++number_;
  }
  Verification result() && { return std::move(out_); }

 private:
  void find(const std::string& what) { out_.findings.push_back(fmt::format("entry {}: {}", number_, what)); }
  void expect(bool holds, const std::string& what) {
    if (!holds) find(what);
  }

  void take_task(const TaskEntry& e) {
    expect(e.task == task_.name(), "is of another task than the document");
    expect(e.delta == task_.plan().delta(), "states another delta than the plan");
    try {
      planned_ = planned_rounds(task_.plan(), epsilon_);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::budget) throw;
      find(fmt::format("begins a task whose {}", error.what()));
      return;
    }
    const double planned = epsilon_(planned_);
    expect(same_cost(e.epsilon, planned),
           fmt::format("reserves epsilon {} for the planned rounds, which cost {}", e.epsilon, planned));
  }

  void take_open(const OpenEntry& e, const wire::Hash& hash) {
    expect(e.round <= task_.settings().most_rounds, "opens more rounds than task.most_rounds");
    expect(charged_ < planned_, "opens a round after all planned rounds were charged");
    keyless_ = e.aggregator == wire::HpkePublicKey{};
    descriptor_ = wire::descriptor_hash(descriptor_of(e, task_.name(), hash));
    out_.rounds.push_back({.round = e.round, .outcome = "open", .reason = "", .epsilon = out_.epsilon});
  }

  // Returns the shuffler's manifest of the round that is open. Returns nullopt, and adds a finding, if the
  // bytes are no manifest that the shuffler signed.
  std::optional<Manifest> manifest_of(const SignedManifest& bytes) {
    const auto manifest = wire::read_manifest(bytes, task_.settings().shuffler);
    expect(!keyless_, "is no charge of a lost round, although the round was opened without keys");
    if (!manifest) {
      find("has no manifest that the shuffler signed");
      return std::nullopt;
    }
    expect(manifest->task == task_.name() && manifest->round == out_.rounds.back().round,
           "has the manifest of another round");
    expect(manifest->descriptor == descriptor_,
           "has a manifest for another descriptor than the ledger opened");
    out_.rounds.back().heard = manifest->heard;
    out_.rounds.back().reports = manifest->reports;
    out_.rounds.back().signer = "shuffler";
    return manifest;
  }

  void charge(double stated) {
    ++charged_;
    out_.epsilon = epsilon_(charged_);
    out_.rounds.back().epsilon = out_.epsilon;
    expect(same_cost(stated, out_.epsilon),
           fmt::format("states epsilon {} after {} charged rounds, which cost {}", stated, charged_,
                       out_.epsilon));
  }

  void take_release(const ReleaseEntry& e) {
    out_.rounds.back().outcome = "released";
    if (const auto manifest = manifest_of(e.manifest)) {
      expect(manifest->outcome == Manifest::Outcome::released,
             "releases a round that the shuffler destroyed");
      expect(manifest->heard >= task_.needed(),
             fmt::format("releases a round in which {} devices were heard, fewer than {}", manifest->heard,
                         task_.needed()));
    }
    charge(e.epsilon);
  }

  void take_spent(const SpentEntry& e) {
    out_.rounds.back().outcome = "spent";
    out_.rounds.back().reason = name_of(e.why);
    // An operator charges a lost round without the shuffler's word.
    if (e.why != SpentEntry::Why::lost) {
      if (const auto manifest = manifest_of(e.manifest)) {
        expect(manifest->outcome == Manifest::Outcome::released,
               "spends a round that the shuffler destroyed");
      }
    }
    charge(e.epsilon);
  }

  void take_void(const VoidEntry& e) {
    out_.rounds.back().outcome = "void";
    if (const auto manifest = manifest_of(e.manifest)) {
      expect(manifest->outcome == Manifest::Outcome::destroyed,
             "calls a round void although its batch left the shuffler");
      out_.rounds.back().reason =
          manifest->heard < task_.needed()
              ? fmt::format("heard {} devices, fewer than {}", manifest->heard, task_.needed())
              : "the shuffler could not release it";
    }
    out_.rounds.back().epsilon = out_.epsilon;
  }

  void take_end(const EndEntry& e) {
    out_.ended = name_of(e.why);
    const bool done = charged_ == task_.plan().rounds();
    const std::optional<double>& budget = task_.plan().budget();
    const bool holds =
        e.why == EndEntry::Why::done       ? done
        : e.why == EndEntry::Why::budget   ? !done && budget && epsilon_(charged_ + 1) > *budget
        : e.why == EndEntry::Why::rounds   ? !done && out_.rounds.size() == task_.settings().most_rounds
        : e.why == EndEntry::Why::diverged ? !out_.rounds.empty() && out_.rounds.back().outcome == "released"
                                           : !done;
    expect(holds, fmt::format("ends the task because of \"{}\", which the rounds do not show", out_.ended));
  }

  const TaskDocument& task_;
  const std::function<double(std::uint64_t)>& epsilon_;
  Verification out_;
  std::uint64_t number_ = 0, charged_ = 0, planned_ = 0;
  bool keyless_ = false;  // the open round was entered without the keys that a descriptor states
  wire::Hash descriptor_{};
};

}  // namespace

Verification verify(const Ledger& ledger, const TaskDocument& task,
                    const std::function<double(std::uint64_t)>& epsilon) {
  Verifier verifier(task, epsilon);
  if (ledger.entries().empty())
    return {.rounds = {}, .epsilon = 0, .ended = "", .findings = {"the ledger has no entry"}};
  for (std::size_t i = 0; i < ledger.entries().size(); ++i)
    verifier.take(ledger.entries()[i], ledger.hashes()[i]);
  return std::move(verifier).result();
}

}  // namespace muster::service
