#include "muster/simulation/runs/checkpoint.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "muster/core/error.h"

namespace muster::simulation {
namespace {

static_assert(std::endian::native == std::endian::little, "the file holds the machine's own bytes");

constexpr std::string_view kMagic = "musterck";
constexpr std::uint32_t kVersion = 4, kOldestVersion = 2;
constexpr std::size_t kHashLength = 64;
constexpr double kMaxSeconds = 1e300;  // as in metrics.jsonl and result.json, which later state this time

constexpr std::size_t header_of(std::uint32_t version) {
  return kMagic.size() + 4 + kHashLength + sizeof(Digest) + (version == 2 ? 7 : version == 3 ? 9 : 10) * 8;
}

Digest blake2b(std::string_view bytes) {
  Digest digest;
  crypto_generichash(digest.data(), digest.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                     bytes.size(), nullptr, 0);
  return digest;
}

template <typename T>
void put(std::string& out, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

void put(std::string& out, const std::vector<float>& values) {
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

template <typename T>
T take(std::string_view& in) {
  T value;
  std::memcpy(&value, in.data(), sizeof(T));
  in.remove_prefix(sizeof(T));
  return value;
}

std::vector<float> take_floats(std::string_view& in, std::size_t count) {
  std::vector<float> values(count);
  if (count > 0) {
    std::memcpy(values.data(), in.data(), count * sizeof(float));
  }
  in.remove_prefix(count * sizeof(float));
  return values;
}

bool is_hash(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& message) {
  throw Error(ErrorCode::checkpoint, path.string(), "", "", message);
}

template <typename T>
void absorb(crypto_generichash_state& state, std::span<const T> values) {
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(values.data()),
                            values.size_bytes());
}

}  // namespace

Digest digest_of(const learning::DataSplit& data) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, sizeof(Digest));
  for (const learning::Dataset* part : {&data.train, &data.test}) {
    const std::array<std::uint64_t, 5> sizes{part->size(), part->shape.height, part->shape.width,
                                             part->shape.channels, part->classes};
    absorb(state, std::span<const std::uint64_t>(sizes));
    absorb(state, part->normalisation.channels());
    for (const std::string& name : part->class_names) {
      absorb(state, std::span<const char>(name.c_str(), name.size() + 1));  // no name has a zero byte
    }
    absorb(state, std::span<const std::uint8_t>(part->labels));
    absorb(state, std::span<const std::uint8_t>(part->bytes));
    absorb(state, std::span<const float>(part->values));
    absorb(state, std::span<const std::uint32_t>(part->owners));
  }
  Digest digest;
  crypto_generichash_final(&state, digest.data(), digest.size());
  return digest;
}

std::string encode(const Checkpoint& checkpoint) {
  const ModelState& model = checkpoint.model;
  if (checkpoint.plan_hash.size() != kHashLength || model.momentum.size() != model.parameters.size() ||
      model.average.size() != model.parameters.size()) {
    throw Error(ErrorCode::internal, "", "", "", "a checkpoint that does not fit its own format");
  }
  std::string out(kMagic);
  put(out, kVersion);
  out += checkpoint.plan_hash;
  put(out, checkpoint.data);
  put(out, checkpoint.fidelity);
  put(out, checkpoint.round);
  put(out, checkpoint.messages);
  put(out, checkpoint.seconds);
  put(out, checkpoint.metrics_bytes);
  put(out, checkpoint.neutral);
  put(out, checkpoint.records);
  put(out, checkpoint.sampler);
  put(out, model.updates);
  put(out, static_cast<std::uint64_t>(model.parameters.size()));
  put(out, model.parameters);
  put(out, model.momentum);
  put(out, model.average);
  put(out, blake2b(out));
  return out;
}

Checkpoint decode(std::string_view bytes, const std::filesystem::path& path) {
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    refuse(path, "is not a checkpoint of muster");
  }
  std::string_view in = bytes.substr(kMagic.size());
  const auto version = in.size() < sizeof(kVersion) ? kVersion : take<std::uint32_t>(in);
  if (version < kOldestVersion || version > kVersion) {
    refuse(path, fmt::format("has format version {}, and this muster reads versions {} to {}", version,
                             kOldestVersion, kVersion));
  }
  if (bytes.size() < header_of(version) + sizeof(Digest)) {
    refuse(path, fmt::format("is truncated: it has {} bytes", bytes.size()));
  }
  std::string_view ending = bytes.substr(bytes.size() - sizeof(Digest));
  if (take<Digest>(ending) != blake2b(bytes.substr(0, bytes.size() - sizeof(Digest)))) {
    refuse(path, "is corrupt: its checksum does not match");
  }
  Checkpoint checkpoint;
  checkpoint.plan_hash = in.substr(0, kHashLength);
  in.remove_prefix(kHashLength);
  checkpoint.data = take<Digest>(in);
  const auto fidelity = take<std::uint64_t>(in);
  checkpoint.fidelity = static_cast<Fidelity>(fidelity);
  checkpoint.round = take<std::uint64_t>(in);
  checkpoint.messages = take<std::uint64_t>(in);
  checkpoint.seconds = take<double>(in);
  checkpoint.metrics_bytes = take<std::uint64_t>(in);
  if (version >= 3) {
    checkpoint.neutral = take<std::uint64_t>(in);
    checkpoint.records = take<std::uint64_t>(in);
  }
  checkpoint.sampler = version >= 4 ? take<std::uint64_t>(in) : 1;
  checkpoint.model.updates = take<std::uint64_t>(in);
  const auto dimension = take<std::uint64_t>(in);
  const std::size_t body = in.size() - sizeof(Digest);
  if (!is_hash(checkpoint.plan_hash) || fidelity > static_cast<std::uint64_t>(Fidelity::sum) ||
      !(checkpoint.seconds >= 0 && checkpoint.seconds <= kMaxSeconds) ||
      checkpoint.neutral > checkpoint.messages || checkpoint.sampler == 0 ||
      body % (3 * sizeof(float)) != 0 || dimension != body / (3 * sizeof(float))) {
    refuse(path, "is corrupt: its fields do not fit together");
  }
  checkpoint.model.parameters = take_floats(in, dimension);
  checkpoint.model.momentum = take_floats(in, dimension);
  checkpoint.model.average = take_floats(in, dimension);
  return checkpoint;
}

}  // namespace muster::simulation
