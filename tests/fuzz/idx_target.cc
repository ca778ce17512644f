// This target is the reader of idx files. An input is a file of labels in the form that take_counted() reads,
// and then a file of images.
#include <fstream>

#include "muster/learning/data/idx.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_folder.h"

namespace muster::fuzz {

bool accepts(Input input) {
  static const testing::TemporaryFolder folder;
  const std::filesystem::path labels = folder.path() / "labels", images = folder.path() / "images";
  std::ofstream(labels, std::ios::binary) << text_of(take_counted(input));
  std::ofstream(images, std::ios::binary) << text_of(input);
  return accepted(
      [&] {
        const learning::Dataset data = learning::load_idx_pair(images, labels);
        if (data.bytes.size() != data.size() * learning::kImagePixels) {
          std::abort();
        }
      },
      {ErrorCode::data});
}

}  // namespace muster::fuzz
