#include "muster/service/shuffler/model_blobs.h"

#include <algorithm>
#include <string>

#include "muster/core/error.h"
#include "muster/wire/hash.h"
#include "muster/wire/hex.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::Bytes;

constexpr std::size_t kMaxBlobs = 6, kMaxNamed = 2;

std::string key_of(const wire::Hash& hash) { return "blob " + wire::hex_of(hash); }

Buffer encode(const std::vector<wire::Hash>& names) {
  wire::FieldWriter fields(32 * names.size());
  for (const wire::Hash& name : names) fields.bytes(name);
  return fields.take();
}

bool contains(const std::vector<wire::Hash>& names, const wire::Hash& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::vector<wire::Hash> ModelBlobs::names() const {
  const auto list = store_.blob("blobs");
  std::vector<wire::Hash> names;
  if (!list) return names;
  if (list->size() % 32 != 0) {
    throw Error(ErrorCode::file, "blobs", "", "", "is damaged in the shuffler's store");
  }
  wire::FieldReader fields(*list);
  for (std::size_t i = 0; i < list->size() / 32; ++i) names.push_back(fields.array<32>());
  return names;
}

std::optional<Buffer> ModelBlobs::get(const wire::Hash& hash) const { return store_.blob(key_of(hash)); }

void ModelBlobs::put(Bytes blob) {
  const wire::Hash hash = wire::hash_of({blob});
  std::vector<wire::Hash> known = names();
  if (contains(known, hash)) return;
  Store::Commit commit{{}, {{key_of(hash), Buffer(blob.begin(), blob.end())}}, {}};
  known.push_back(hash);
  // The blobs of the open round, two at most, stand before all others.
  while (known.size() > kMaxBlobs) {
    commit.remove.push_back(key_of(known[kMaxNamed]));
    known.erase(known.begin() + kMaxNamed);
  }
  commit.put.emplace_back("blobs", encode(known));
  store_.commit(commit);
}

bool ModelBlobs::keep_for(const wire::Descriptor& descriptor, Store::Commit& commit) {
  const std::vector<wire::Hash> known = names();
  std::vector<wire::Hash> kept;
  for (const wire::Hash& name : known) {
    if (name == descriptor.model || name == descriptor.frozen) {
      kept.push_back(name);
    } else {
      commit.remove.push_back(key_of(name));
    }
  }
  commit.put.emplace_back("blobs", encode(kept));
  return contains(kept, descriptor.model) &&
         (descriptor.frozen == wire::Hash{} || contains(kept, descriptor.frozen));
}

}  // namespace muster::service
