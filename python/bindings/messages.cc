// Binds the messages of single clients, for programs whose clients and server are different processes: a
// client's coin and message, the secret order, and the mean of many messages.
//
// Coins and messages are those of the population's clients (simulation/message_maker.h) if the key, the round
// and the client's number are the same. A message travels as the payload of the wire (wire/payload.h). An
// object is immutable, so that threads may share it.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "muster/core/error.h"
#include "muster/plan/keys.h"
#include "muster/plan/randomizer_table.h"
#include "muster/protocols/aggregate.h"
#include "muster/protocols/check_in_coins.h"
#include "muster/protocols/shuffle.h"
#include "muster/random/keyed_stream.h"
#include "muster/simulation/setup.h"
#include "muster/wire/payload.h"
#include "plan.h"
#include "values.h"

namespace muster::python {
namespace {

namespace py = pybind11;

using random::RunKey;

constexpr std::uint64_t kMaxDimension = (std::uint64_t{1} << 31) - 1;
constexpr std::uint64_t kMaxRound = (std::uint64_t{1} << 40) - 1;   // that a stream can address
constexpr std::uint64_t kMaxClient = (std::uint64_t{1} << 48) - 1;  // likewise
constexpr std::size_t kKeyBytes = 16;
constexpr std::size_t kPiece = 64;  // messages between two looks for signals

RunKey key_of(const std::string& bytes) {
  if (bytes.size() != kKeyBytes)
    throw Error(ErrorCode::internal, "key", "", "16 bytes", "has another length");
  std::array<std::uint8_t, kKeyBytes> key{};
  std::ranges::copy(bytes, key.begin());
  return RunKey::from_bytes(key);
}

// Returns the key of a population that takes its key from the plan's public seed.
py::bytes plan_key(const PlanPointer& plan) {
  const RunKey key = RunKey::from_seed(plan->whole().seed());
  // The first 16 bytes of the key schedule of AES-128 are the key.
  return {reinterpret_cast<const char*>(key.schedule().data()), kKeyBytes};
}

// Returns a uniformly drawn order of `count` things, which cannot be predicted.
std::vector<std::uint64_t> secret_order(std::uint64_t count) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  protocols::secret_shuffle(std::span(order), 0);
  return order;
}

const protocols::Plan& with_messages(const protocols::Plan& plan) {
  if (protocols::spec_of(plan.randomizer()).takes_clip && !plan.values().clip) {
    throw Error(ErrorCode::plan, Reason::missing, "randomizer.clip", "",
                protocols::spec_of("randomizer.clip").allowed(), "is missing: a client's message needs it");
  }
  return plan;
}

class Messages {
 public:
  Messages(const protocols::Plan& plan, std::size_t dimension)
      : rate_(plan.rate()),
        dropout_(plan.dropout()),
        randomizer_(simulation::make_randomizer(with_messages(plan), dimension)),
        format_(*randomizer_) {}

  std::size_t size() const { return format_.size(); }

  // Returns whether the client of this number reports in the round.
  bool coin(const std::string& key, const py::object& round, const py::object& client) const {
    std::vector<std::uint64_t> reporting;
    protocols::CheckInCoins(key_of(key), rate_, dropout_)
        .append_reporting(round_of(round), client_of(client), 1, reporting);
    return !reporting.empty();
  }

  // Returns what a client sends for a vector, or if it has none (wire::randomized_payload). Without a key,
  // the noise comes from a fresh one, which is wiped afterwards.
  py::bytes message(const std::optional<std::string>& key, const py::object& round, const py::object& client,
                    const std::optional<py::array_t<float, py::array::c_style>>& vector) const {
    const std::uint64_t in = round_of(round);
    const std::uint64_t by = client_of(client);
    const RunKey noise = key ? key_of(*key) : RunKey::fresh();
    std::vector<float> values;
    if (vector) values.assign(vector->data(), vector->data() + vector->size());
    wire::Buffer payload;
    {
      const py::gil_scoped_release others_run;
      payload = wire::randomized_payload(*randomizer_, *randomizer_->make_scratch(), format_,
                                         std::move(values), noise, in, by);
    }
    return {reinterpret_cast<const char*>(payload.data()), payload.size()};
  }

  // Returns the mean of the vectors that the payloads decode to, how many were decoded, and how many are no
  // messages.
  py::tuple mean(const std::vector<py::bytes>& payloads) const {
    const std::unique_ptr<randomizers::Scratch> scratch = randomizer_->make_scratch();
    protocols::Aggregator aggregator(*randomizer_, *scratch);
    std::uint64_t refused = 0;
    for (std::size_t at = 0; at < payloads.size(); at += kPiece) {
      std::vector<std::string_view> piece;
      for (std::size_t i = at; i < std::min(payloads.size(), at + kPiece); ++i)
        piece.emplace_back(payloads[i]);
      {
        const py::gil_scoped_release others_run;
        refused += receive(piece, aggregator);
      }
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
    py::array_t<float> mean = array_of<float>(randomizer_->dimension());
    aggregator.mean({mean.mutable_data(), randomizer_->dimension()});
    return py::make_tuple(mean, aggregator.count(), refused);
  }

 private:
  static std::uint64_t round_of(const py::object& round) { return count_of("round", round, 1, kMaxRound); }
  static std::uint64_t client_of(const py::object& client) {
    return count_of("client", client, 0, kMaxClient);
  }

  // Adds up the payloads that are messages; returns how many are not.
  std::uint64_t receive(const std::vector<std::string_view>& payloads, protocols::Aggregator& into) const {
    std::vector<randomizers::Message> messages;
    for (const std::string_view payload : payloads) {
      const wire::Bytes bytes = wire::bytes_of(payload);
      if (format_.decode(bytes, messages.emplace_back()) != wire::PayloadFault::none) messages.pop_back();
    }
    for (std::size_t at = 0; at < messages.size(); at += randomizers::VectorRandomizer::kPass) {
      into.receive(std::span(messages).subspan(
          at, std::min(messages.size() - at, randomizers::VectorRandomizer::kPass)));
    }
    return payloads.size() - messages.size();
  }

  double rate_;
  protocols::Schedule dropout_;
  std::unique_ptr<randomizers::VectorRandomizer> randomizer_;
  wire::PayloadFormat format_;
};

std::unique_ptr<Messages> messages_of(const PlanPointer& plan, const py::object& dimension) {
  return std::make_unique<Messages>(
      plan->whole(), static_cast<std::size_t>(count_of("dimension", dimension, 1, kMaxDimension)));
}

}  // namespace

void bind_messages(py::module_& module) {
  py::class_<Messages>(module, "Messages")
      .def_static("made", &messages_of, py::arg("plan"), py::arg("dimension"))
      .def("size", &Messages::size)
      .def("coin", &Messages::coin, py::arg("key"), py::arg("round"), py::arg("client"))
      .def("message", &Messages::message, py::arg("key"), py::arg("round"), py::arg("client"),
           py::arg("vector").noconvert())
      .def("mean", &Messages::mean, py::arg("payloads"));
  module.def("plan_key", &plan_key, py::arg("plan"));
  module.def("secret_order", &secret_order, py::arg("count"));
}

}  // namespace muster::python
