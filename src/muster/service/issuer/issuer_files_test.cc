// The issuer on real files: it goes on after a restart, and the key of a closed round is in none of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "muster/core/atomic_file.h"
#include "muster/service/issuer/small_deployment_test.h"
#include "muster/service/store/file_log_folder.h"
#include "muster/service/store/sqlite_store.h"
#include "tests/support/temporary_folder.h"

namespace muster::service {
namespace {

// An issuer with its files in the folder, as a process has it.
struct Process {
  explicit Process(const std::filesystem::path& folder)
      : store(folder / "issuer.db", SqliteStore::Access::create_or_open),
        logs(folder),
        issuer(small_task(), issuer_identity(), store, logs, "issuer.db", stored_keys()) {}

  SqliteStore store;
  FileLogFolder logs;
  Issuer issuer;
};

// Returns how many pieces of the key's secret part are in files of the folder.
std::size_t pieces_found(const wire::RsaSecretKey& key, const std::filesystem::path& folder) {
  // The encoding (PKCS #8) begins with 299 public bytes: headers, the modulus of 256 bytes, and the public
  // exponent. Then come the secret exponent and the primes, so the bytes from 320 on belong to secret
  // numbers.
  constexpr std::size_t kSecret = 320, kPiece = 32;
  const wire::Buffer encoded = key.encoded();
  std::size_t found = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string content = read_file(file.path());
    for (std::size_t at = kSecret; at + kPiece <= encoded.size(); at += kPiece) {
      const std::string piece(encoded.begin() + static_cast<std::ptrdiff_t>(at),
                              encoded.begin() + static_cast<std::ptrdiff_t>(at + kPiece));
      if (content.find(piece) != std::string::npos) ++found;
    }
  }
  return found;
}

TEST(IssuerFiles, GoesOnAfterARestartAndLeavesNoKeyOfAClosedRound) {
  const muster::testing::TemporaryFolder folder;
  const wire::Hash task = small_task().name();
  auto process = std::make_unique<Process>(folder.path());
  process->issuer.enrol(devices(kNeeded));
  process->issuer.prepare(2);
  wire::Buffer block;
  for (std::uint8_t device = 0; device < kNeeded; ++device) {
    const wire::KeyDirectory keys = read(process->issuer.keys());
    block = block_of(device, {{1, begin(keys, 1).request}, {2, begin(keys, 2).request}}, task);
    EXPECT_EQ(process->issuer.tokens(block).answer, Answer::stored);
  }
  EXPECT_GT(pieces_found(stored_key(1), folder.path()), 10u);
  const auto closed = process->issuer.close_issuance(order_to_close(1, task));
  ASSERT_TRUE(closed.has_value());
  EXPECT_EQ(pieces_found(stored_key(1), folder.path()), 0u);
  EXPECT_GT(pieces_found(stored_key(2), folder.path()), 10u);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "tokens-1.log"));

  process.reset();
  process = std::make_unique<Process>(folder.path());
  EXPECT_EQ(process->issuer.enrolled(), kNeeded);
  EXPECT_EQ(read(process->issuer.keys()).entries.at(0), read(*closed).entries.at(0));
  EXPECT_EQ(process->issuer.tokens(block).answer, Answer::over);
  const auto last = wire::read_token_block(block)->entries.back();
  constexpr std::uint8_t kLast = kNeeded - 1;
  EXPECT_EQ(process->issuer.tokens(block_of(kLast, {last}, task)).answer, Answer::stored);
  const auto another = begin(read(process->issuer.keys()), 2).request;
  EXPECT_EQ(process->issuer.tokens(block_of(kLast, {{2, another}}, task)).answer, Answer::refused);
}

}  // namespace
}  // namespace muster::service
