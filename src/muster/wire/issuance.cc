#include "muster/wire/issuance.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "muster/wire/upload.h"

namespace muster::wire {
namespace {

constexpr std::string_view kBlock = "token block";
constexpr std::size_t kHead = 1 + 32 + 32 + 2, kEntry = 8 + kTokenRequest;

bool is_valid(const std::vector<TokenBlock::Entry>& entries) {
  return !entries.empty() && entries.size() <= kMaxTokenBlock &&
         std::ranges::adjacent_find(
             entries, [](const auto& a, const auto& b) { return a.round >= b.round; }) == entries.end();
}

}  // namespace

Buffer sign_token_block(const TokenBlock& b, const SigningKey& device) {
  if (!is_valid(b.entries) || b.device != device.identity()) {
    throw Error(ErrorCode::internal, "token block", "", "",
                "is empty, too long, not in order, or of another device");
  }
  FieldWriter fields(kHead + kEntry * b.entries.size() + 64);
  fields.integer(kWireVersion).bytes(b.task).bytes(b.device);
  fields.integer(static_cast<std::uint16_t>(b.entries.size()));
  for (const TokenBlock::Entry& entry : b.entries) fields.integer(entry.round).bytes(entry.request);
  return with_signature(fields.take(), kBlock, device);
}

std::optional<TokenBlock> read_token_block(Bytes signed_block) {
  const std::size_t size = signed_block.size();
  if (size < kHead + 64 || size > kHead + kEntry * kMaxTokenBlock + 64) return std::nullopt;
  FieldReader fields(signed_block);
  if (fields.integer<std::uint8_t>() != kWireVersion) return std::nullopt;
  TokenBlock b;
  b.task = fields.array<32>();
  b.device = fields.array<32>();
  const auto count = fields.integer<std::uint16_t>();
  if (size != kHead + kEntry * std::size_t{count} + 64) return std::nullopt;
  if (!signature_holds(signed_block, kBlock, b.device)) return std::nullopt;
  for (std::uint16_t i = 0; i < count; ++i) {
    TokenBlock::Entry& entry = b.entries.emplace_back();
    entry.round = fields.integer<std::uint64_t>();
    entry.request = fields.array<kTokenRequest>();
  }
  return is_valid(b.entries) ? std::optional(std::move(b)) : std::nullopt;
}

}  // namespace muster::wire
