// This target is the reader of CIFAR folders. An input has three parts: a byte, which is 0 for CIFAR-100 and
// anything else for CIFAR-10; a test file in the form that take_counted() reads; and a training file. For
// CIFAR-10, the training file is used in place of all five training files.
#include <fstream>

#include "muster/learning/data/cifar.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_folder.h"

namespace muster::fuzz {
namespace {

void write(const std::filesystem::path& folder, const std::string& name, Input bytes) {
  std::ofstream(folder / name, std::ios::binary) << text_of(bytes);
}

void require_consistent(const learning::Dataset& data) {
  const bool fits =
      data.size() > 0 && data.bytes.size() == data.size() * 3 * learning::kCifarSide * learning::kCifarSide;
  const bool known = std::ranges::all_of(data.labels, [&](auto label) { return label < data.classes; });
  if (!fits || !known) {
    std::abort();
  }
}

}  // namespace

bool accepts(Input input) {
  static const testing::TemporaryFolder ten, hundred;
  const bool of_ten = !input.empty() && input[0] != 0;
  const std::filesystem::path& folder = (of_ten ? ten : hundred).path();
  input = input.subspan(input.empty() ? 0 : 1);
  write(folder, of_ten ? "test_batch.bin" : "test.bin", take_counted(input));
  if (of_ten) {
    for (const char number : {'1', '2', '3', '4', '5'}) {
      write(folder, std::string("data_batch_") + number + ".bin", input);
    }
  } else {
    write(folder, "train.bin", input);
  }
  return accepted(
      [&] {
        const learning::DataSplit split = learning::load_cifar(folder);
        require_consistent(split.train);
        require_consistent(split.test);
      },
      {ErrorCode::data});
}

}  // namespace muster::fuzz
