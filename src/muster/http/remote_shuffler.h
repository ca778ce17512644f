// The shuffler, reached by HTTP. The classes offer what devices and the aggregator ask of a shuffler
// (ports.h). An answer that the shuffler's server (shuffler_server.h) never gives counts as if the server had
// not been reached. Each object belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/http/http_client.h"
#include "muster/service/ports/ports.h"

namespace muster::service {

class RemoteShufflerForDevices final : public ShufflerForDevices {
 public:
  // `url` is the address of the relay; `max_blob` bounds what is downloaded.
  RemoteShufflerForDevices(const std::string& url, const std::string& ca, std::size_t max_blob)
      : client_(url, ca), max_blob_(max_blob) {}

  std::optional<Round> round() override;
  std::optional<wire::Buffer> blob(const wire::Hash& hash) override;
  Answer upload(wire::Bytes upload) override;

 private:
  HttpClient client_;
  std::size_t max_blob_;
};

class RemoteShufflerForAggregator final : public ShufflerForAggregator {
 public:
  // `width` is the number of bytes of a report in a batch.
  RemoteShufflerForAggregator(const std::string& url, const std::string& ca, std::size_t width)
      : client_(url, ca), width_(width) {}

  wire::Buffer offer() override;
  wire::Buffer keys() override;
  void put_blob(wire::Bytes blob) override;
  bool open(wire::Bytes offered, std::uint64_t first, const std::vector<wire::Buffer>& rows) override;
  std::optional<wire::Buffer> manifest(std::uint64_t round) override;
  std::optional<wire::Buffer> batch(std::uint64_t round, std::uint64_t first, std::uint64_t count) override;
  bool receipt(wire::Bytes signed_receipt) override;
  bool end(wire::Bytes signed_over) override;

 private:
  HttpClient client_;
  std::size_t width_;
};

}  // namespace muster::service
