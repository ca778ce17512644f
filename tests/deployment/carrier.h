// The network of the simulated deployment, between two processes: it carries calls, loses requests or
// answers, and delivers some twice, as it is told. The ports below carry each call to a process. The objects
// belong to the thread of the test.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "muster/service/issuer/issuer.h"
#include "muster/service/ports/ports.h"
#include "muster/service/shuffler/shuffler.h"
#include "tests/deployment/process.h"

namespace muster::deployment {

using wire::Buffer;
using wire::Bytes;

class Carrier {
 public:
  int lose_requests = 0, lose_responses = 0, twice = 0;  // how many of the next calls

  template <typename Call>
  auto carry(const Call& call) -> decltype(call()) {
    if (take(lose_requests)) throw service::Unreachable();
    const bool doubled = take(twice);
    auto answer = call();
    if (doubled) answer = call();
    if (take(lose_responses)) throw service::Unreachable();
    return answer;
  }
  void clear() { lose_requests = lose_responses = twice = 0; }

 private:
  static bool take(int& count) { return count > 0 && count-- > 0; }
};

class CarriedIssuer final : public service::IssuerForDevices, public service::IssuerForShuffler {
 public:
  CarriedIssuer(Carrier& carrier, Process<service::Issuer>& issuer) : carrier_(carrier), issuer_(issuer) {}
  Buffer keys() override {
    return carrier_.carry([&] { return issuer_.call([](service::Issuer& i) { return i.keys(); }); });
  }
  Tokens tokens(Bytes block) override {
    return carrier_.carry([&] { return issuer_.call([&](service::Issuer& i) { return i.tokens(block); }); });
  }
  std::optional<Buffer> close_issuance(Bytes close) override {
    return carrier_.carry(
        [&] { return issuer_.call([&](service::Issuer& i) { return i.close_issuance(close); }); });
  }
  std::optional<Buffer> note_release(Bytes notice) override {
    return carrier_.carry(
        [&] { return issuer_.call([&](service::Issuer& i) { return i.note_release(notice); }); });
  }

 private:
  Carrier& carrier_;
  Process<service::Issuer>& issuer_;
};

class CarriedShuffler : public service::ShufflerForDevices, public service::ShufflerForAggregator {
 private:
  template <typename Work>
  auto carry(const Work& work) -> decltype(work(std::declval<service::Shuffler&>())) {
    return carrier_.carry([&] { return shuffler_.call(work); });
  }

 public:
  CarriedShuffler(Carrier& carrier, Process<service::Shuffler>& shuffler)
      : carrier_(carrier), shuffler_(shuffler) {}

  std::optional<Round> round() override {
    return carry([](service::Shuffler& s) { return s.round(); });
  }
  std::optional<Buffer> blob(const wire::Hash& hash) override {
    return carry([&](service::Shuffler& s) { return s.blob(hash); });
  }
  service::Answer upload(Bytes upload) override {
    return carry([&](service::Shuffler& s) { return s.upload(upload); });
  }
  Buffer offer() override {
    return carry([](service::Shuffler& s) { return s.offer(); });
  }
  Buffer keys() override {
    return carry([](service::Shuffler& s) { return s.keys(); });
  }
  void put_blob(Bytes blob) override {
    carry([&](service::Shuffler& s) { return s.put_blob(blob), true; });
  }
  bool open(Bytes offered, std::uint64_t first, const std::vector<Buffer>& rows) override {
    return carry([&](service::Shuffler& s) { return s.open(offered, first, rows); });
  }
  std::optional<Buffer> manifest(std::uint64_t round) override {
    return carry([&](service::Shuffler& s) { return s.manifest(round); });
  }
  std::optional<Buffer> batch(std::uint64_t round, std::uint64_t first, std::uint64_t count) override {
    return carry([&](service::Shuffler& s) { return s.batch(round, first, count); });
  }
  bool receipt(Bytes signed_receipt) override {
    return carry([&](service::Shuffler& s) { return s.receipt(signed_receipt); });
  }
  bool end(Bytes signed_over) override {
    return carry([&](service::Shuffler& s) { return s.end(signed_over); });
  }

 private:
  Carrier& carrier_;
  Process<service::Shuffler>& shuffler_;
};

}  // namespace muster::deployment
