#include "muster/http/remote_shuffler.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "muster/http/answers.h"
#include "muster/http/open_request.h"
#include "muster/wire/descriptor.h"
#include "muster/wire/hex.h"
#include "muster/wire/key_directory.h"
#include "muster/wire/manifest.h"
#include "muster/wire/offer.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::Bytes;

constexpr std::size_t kMaxDirectory = std::size_t{1} << 20;

// Returns the body of the answer, or nullopt if the shuffler says that it does not have what was asked for.
std::optional<Buffer> found_in(HttpClient::Answer answer) {
  if (answer.status == 200) return std::move(answer.body);
  if (answer.status == 404 || answer.status == 204) return std::nullopt;
  throw unexpected(answer.status);
}

Buffer body_of(HttpClient::Answer answer) {
  const long status = answer.status;
  auto body = found_in(std::move(answer));
  if (!body) throw unexpected(status);
  return *std::move(body);
}

// Whether the shuffler agrees; `no` is the status with which it refuses.
bool agreed(const HttpClient::Answer& answer, long no) {
  if (answer.status == 200) return true;
  if (answer.status == no) return false;
  throw unexpected(answer.status);
}

}  // namespace

std::optional<ShufflerForDevices::Round> RemoteShufflerForDevices::round() {
  constexpr std::size_t kLength = wire::kSignedDescriptor + 8;
  HttpClient::Answer answer = client_.get("/v1/round", kLength);
  if (answer.status == 410) return Round{{}, 0, std::move(answer.body)};
  const auto body = found_in(std::move(answer));
  if (!body) return std::nullopt;
  if (body->size() != kLength) throw Unreachable("its answer is not that of a shuffler");
  wire::FieldReader fields(*body);
  const Bytes descriptor = fields.bytes(wire::kSignedDescriptor);
  const auto remaining = fields.integer<std::uint64_t>();
  if (remaining > std::uint64_t{1} << 40) throw Unreachable("its answer is not that of a shuffler");
  return Round{{descriptor.begin(), descriptor.end()}, static_cast<std::int64_t>(remaining), {}};
}

std::optional<Buffer> RemoteShufflerForDevices::blob(const wire::Hash& hash) {
  return found_in(client_.get("/v1/blob/" + wire::hex_of(hash), max_blob_));
}

Answer RemoteShufflerForDevices::upload(Bytes upload) {
  const long status = client_.post("/v1/upload", upload, 0).status;
  const auto answer = answer_of_status(status);
  if (!answer) throw unexpected(status);
  return *answer;
}

Buffer RemoteShufflerForAggregator::offer() { return body_of(client_.get("/v1/offer", wire::kOffer)); }

Buffer RemoteShufflerForAggregator::keys() { return body_of(client_.get("/v1/keys", kMaxDirectory)); }

void RemoteShufflerForAggregator::put_blob(Bytes blob) {
  const long status = client_.post("/v1/blob", blob, 0).status;
  if (status != 201) throw unexpected(status);
}

bool RemoteShufflerForAggregator::open(Bytes offered, std::uint64_t first, const std::vector<Buffer>& rows) {
  const Buffer body = encode(OpenRequest{first, {offered.begin(), offered.end()}, rows});
  return agreed(client_.post("/v1/open", body, 0), 409);
}

std::optional<Buffer> RemoteShufflerForAggregator::manifest(std::uint64_t round) {
  return found_in(client_.get(fmt::format("/v1/manifest/{}", round), wire::kManifest));
}

std::optional<Buffer> RemoteShufflerForAggregator::batch(std::uint64_t round, std::uint64_t first,
                                                         std::uint64_t count) {
  const std::size_t length =
      count > std::numeric_limits<std::size_t>::max() / std::max<std::size_t>(width_, 1)
          ? 0
          : static_cast<std::size_t>(count) * width_;
  return found_in(client_.get(fmt::format("/v1/batch/{}/{}/{}", round, first, count), length));
}

bool RemoteShufflerForAggregator::receipt(Bytes signed_receipt) {
  return agreed(client_.post("/v1/receipt", signed_receipt, 0), 400);
}

bool RemoteShufflerForAggregator::end(Bytes signed_over) {
  return agreed(client_.post("/v1/end", signed_over, 0), 409);
}

}  // namespace muster::service
