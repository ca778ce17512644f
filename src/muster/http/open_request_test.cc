// The request to open a round must be read back as it was written. Requests that are cut off inside the head
// or a row, too long, or made of impossible rows must be refused.
#include "muster/http/open_request.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/wire/descriptor.h"

namespace muster::service {
namespace {

using wire::Buffer;

OpenRequest request_with(std::vector<Buffer> rows) {
  return {7, Buffer(wire::kDescriptorBody + 64, 1), std::move(rows)};
}

TEST(OpenRequest, IsReadAsItWasWritten) {
  for (const OpenRequest& request :
       {request_with({}), request_with({Buffer(32, 2)}), request_with({Buffer(81, 3), Buffer(300, 4)})}) {
    const auto read = read_open_request(encode(request));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->first, request.first);
    EXPECT_EQ(read->offered, request.offered);
    EXPECT_EQ(read->rows, request.rows);
  }
  EXPECT_ERROR(ErrorCode::internal, encode({7, Buffer(3), {}}));
}

TEST(OpenRequest, WhatIsCutOffOrTooLongIsRefused) {
  const std::size_t head = encode(request_with({})).size();
  const Buffer whole = encode(request_with({Buffer(81, 3), Buffer(90, 4)}));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const bool ends_with_a_row = size == head || size == head + 4 + 81;
    EXPECT_EQ(read_open_request(wire::Bytes(whole).first(size)).has_value(), ends_with_a_row) << size;
  }
  Buffer longer = whole;
  longer.push_back(0);
  EXPECT_FALSE(read_open_request(longer));
  // A row states more bytes than there are.
  Buffer endless = whole;
  endless[head + 3] = 0xff;
  EXPECT_FALSE(read_open_request(endless));
}

// If rows could be empty, a body of a gigabyte could state hundreds of millions of them.
TEST(OpenRequest, RowsThatAreTooShortForAHashAreRefused) {
  for (const std::size_t length : {0u, 1u, 31u}) {
    EXPECT_FALSE(read_open_request(encode(request_with({Buffer(40), Buffer(length)})))) << length;
  }
}

// The longest request has the longest rows, of which a ledger has two a round and one for the task.
TEST(OpenRequest, TheLongestOneIsRead) {
  const Buffer row(512, 5);
  const Buffer longest = encode(request_with(std::vector<Buffer>(2 * 3 + 1, row)));
  EXPECT_EQ(longest.size(), longest_open_request(3));
  EXPECT_TRUE(read_open_request(longest));
  EXPECT_FALSE(read_open_request(encode(request_with({Buffer(513, 5)}))));
}

}  // namespace
}  // namespace muster::service
