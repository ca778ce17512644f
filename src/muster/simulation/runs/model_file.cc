#include "muster/simulation/runs/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "muster/core/error.h"
#include "muster/simulation/runs/json_object.h"

namespace muster::simulation {
namespace {

using learning::NamedTensor;
using nlohmann::ordered_json;

constexpr std::size_t kLengthBytes = 8, kAlignment = 8;
constexpr std::size_t kMaxHeader = 1 << 20;  // bytes; those written here have about 1,000, plus class names
constexpr const char* kAbout = "__metadata__";

static_assert(std::endian::native == std::endian::little, "values are copied as they lie in memory");

// `why` says what is wrong with the bytes; decode_model adds the name of the file.
[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

ordered_json parsed(std::string_view header) {
  try {
    return json_object_of<ordered_json>(std::string(header));
  } catch (const std::invalid_argument& wrong) {
    refuse(fmt::format("its header: {}", wrong.what()));
  }
}

// Returns the number of values of a tensor of this shape; refuses a tensor of more than `most` values.
std::size_t count_of(const std::string& name, const std::vector<std::size_t>& shape, std::size_t most) {
  std::size_t count = 1;
  for (const std::size_t side : shape) {
    if (side != 0 && count > most / side) refuse(fmt::format("tensor \"{}\" is larger than the file", name));
    count *= side;
  }
  return count;
}

std::vector<std::size_t> sizes(const ordered_json& list, const std::string& name, const char* key) {
  std::vector<std::size_t> found;
  if (!list.is_array()) refuse(fmt::format("\"{}\" of tensor \"{}\" is no list", key, name));
  for (const ordered_json& each : list) {
    if (!each.is_number_unsigned())
      refuse(fmt::format("\"{}\" of tensor \"{}\" is no list of counts", key, name));
    found.push_back(each.get<std::size_t>());
  }
  return found;
}

struct Place {
  std::size_t begin, end;
  NamedTensor tensor;
};

Place place_of(const std::string& name, const ordered_json& described, std::string_view values) {
  for (const char* key : {"dtype", "shape", "data_offsets"}) {
    if (!described.is_object() || !described.contains(key))
      refuse(fmt::format("tensor \"{}\" has no \"{}\"", name, key));
  }
  if (described["dtype"] != "F32") refuse(fmt::format("tensor \"{}\" is not of 32-bit floats, F32", name));
  const std::vector<std::size_t> offsets = sizes(described["data_offsets"], name, "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > values.size()) {
    refuse(fmt::format("the place of tensor \"{}\" is not in the file", name));
  }
  Place place{offsets[0], offsets[1], {name, sizes(described["shape"], name, "shape"), {}}};
  const std::size_t count = count_of(name, place.tensor.shape, values.size() / sizeof(float));
  if (place.end - place.begin != count * sizeof(float)) {
    refuse(fmt::format("the place of tensor \"{}\" does not fit its shape", name));
  }
  place.tensor.values.resize(count);
  if (count > 0) std::memcpy(place.tensor.values.data(), values.data() + place.begin, count * sizeof(float));
  return place;
}

StoredModel read(std::string_view bytes) {
  if (bytes.size() < kLengthBytes) refuse("it is shorter than the length of a header");
  const std::uint64_t length = little_endian(bytes);
  if (length > std::min<std::uint64_t>(kMaxHeader, bytes.size() - kLengthBytes)) {
    refuse(
        fmt::format("it is no safetensors file, or cut off: the length of its header, {} bytes, is not to be "
                    "believed",
                    length));
  }
  const std::string_view values = bytes.substr(kLengthBytes + length);
  const ordered_json header = parsed(bytes.substr(kLengthBytes, length));
  StoredModel model;
  std::vector<Place> places;
  for (const auto& [name, described] : header.items()) {
    if (name != kAbout) {
      places.push_back(place_of(name, described, values));
      continue;
    }
    if (!described.is_object()) refuse("its metadata are no JSON object");
    for (const auto& [key, text] : described.items()) {
      if (!text.is_string()) refuse(fmt::format("its metadata \"{}\" are no text", key));
      model.about[key] = text.get<std::string>();
    }
  }
  std::ranges::stable_sort(places, {}, [](const Place& place) { return std::pair(place.begin, place.end); });
  std::size_t at = 0;
  for (Place& place : places) {
    if (place.begin != at)
      refuse(fmt::format("before tensor \"{}\" there is a gap or an overlap", place.tensor.name));
    at = place.end;
    model.tensors.push_back(std::move(place.tensor));
  }
  if (at != values.size()) refuse("there are bytes after the last tensor");
  return model;
}

}  // namespace

std::string encode_model(const StoredModel& model) {
  ordered_json header = ordered_json::object();
  if (!model.about.empty()) header[kAbout] = model.about;
  std::size_t at = 0;
  for (const NamedTensor& tensor : model.tensors) {
    const std::size_t end = at + tensor.values.size() * sizeof(float);
    header[tensor.name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text = header.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment,
              ' ');  // pads the header with spaces so that the values are aligned
  const std::uint64_t length = text.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
  bytes += text;
  for (const NamedTensor& tensor : model.tensors) {
    bytes.append(reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size() * sizeof(float));
  }
  return bytes;
}

StoredModel decode_model(std::string_view bytes, const std::filesystem::path& file) {
  try {
    return read(bytes);
  } catch (const std::invalid_argument& wrong) {
    throw Error(ErrorCode::file, file.string(), "", "a model in the safetensors format, of 32-bit floats",
                fmt::format("cannot be read: {}", wrong.what()));
  }
}

}  // namespace muster::simulation
