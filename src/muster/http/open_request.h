// The body of a request to open a round: the descriptor, and the ledger's rows that lead to it.
//
//     body = first u64 | descriptor with the aggregator's signature 305 | (length u32 | row) x any number
//
// The functions are pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "muster/wire/bytes.h"

namespace muster::service {

struct OpenRequest {
  std::uint64_t first = 0;  // the number of the first row
  wire::Buffer offered;
  std::vector<wire::Buffer> rows;
};

wire::Buffer encode(const OpenRequest& request);
// Reads any bytes. Returns nullopt unless they are the encoding of a request.
std::optional<OpenRequest> read_open_request(wire::Bytes body);
// The longest request with a ledger of a task that opens this many rounds at most.
std::size_t longest_open_request(std::uint64_t most_rounds);

}  // namespace muster::service
