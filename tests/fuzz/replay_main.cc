// Gives every file of a corpus folder to the target that this program is linked with. A file whose name
// begins with good_ must be accepted, and one whose name begins with bad_ must be refused.
//
//     replay_idx tests/fuzz/corpus/idx
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace {

std::vector<std::uint8_t> bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    std::cerr << "usage: " << argv[0] << " FOLDER\n";
    return 2;
  }
  std::size_t good = 0, bad = 0, wrong = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    const std::string name = entry.path().filename().string();
    const bool is_good = name.starts_with("good_");
    if (!is_good && !name.starts_with("bad_")) {
      std::cerr << name << ": begins with neither good_ nor bad_\n";
      return 1;
    }
    ++(is_good ? good : bad);
    // The name is printed before the file is read, so that the output ends with the file that ended the
    // process.
    std::cout << name << std::flush;
    const bool accepted = muster::fuzz::accepts(bytes_of(entry.path()));
    std::cout << (accepted ? ": accepted" : ": refused")
              << (accepted == is_good ? "\n" : ", which is wrong\n");
    wrong += accepted == is_good ? 0 : 1;
  }
  std::cout << good << " good and " << bad << " bad inputs, " << wrong << " treated wrongly\n";
  return good > 0 && bad > 0 && wrong == 0 ? 0 : 1;
}
