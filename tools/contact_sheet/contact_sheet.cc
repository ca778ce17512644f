// Draws docs/images/digits.png: a grid of procedural digits, one row per digit, in the order in which the
// data set draws them.
//
//     contact_sheet OUT.png [COLUMNS] [SEED]
#include <png.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "muster/learning/data/digits.h"

namespace {

using muster::learning::draw_digit;
using muster::learning::kClasses;
using muster::learning::kImagePixels;
using muster::learning::kImageSide;

constexpr std::size_t kGap = 2;  // pixels between digits
constexpr std::size_t kCell = kImageSide + kGap;
constexpr std::size_t kZoom = 2;

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: contact_sheet OUT.png [COLUMNS] [SEED]\n");
    return 2;
  }
  const std::size_t columns = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 20;
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  const std::size_t width = columns * kCell + kGap;
  const std::size_t height = kClasses * kCell + kGap;

  // The ink is dark and the paper is light, as readers expect of handwriting.
  std::vector<std::uint8_t> sheet(width * height, 255);
  std::vector<std::size_t> placed(kClasses, 0);
  const auto key = muster::random::RunKey::from_seed(seed);
  std::vector<std::uint8_t> image(kImagePixels);
  for (std::uint64_t i = 0; *std::min_element(placed.begin(), placed.end()) < columns; ++i) {
    const std::size_t label = draw_digit(key, muster::learning::DigitSet::train, i, image);
    if (placed[label] == columns) continue;
    const std::size_t left = kGap + placed[label]++ * kCell;
    const std::size_t top = kGap + label * kCell;
    for (std::size_t p = 0; p < kImagePixels; ++p) {
      sheet[(top + p / kImageSide) * width + left + p % kImageSide] =
          static_cast<std::uint8_t>(255 - image[p]);
    }
  }

  std::vector<std::uint8_t> zoomed(width * height * kZoom * kZoom);
  for (std::size_t y = 0; y < height * kZoom; ++y) {
    for (std::size_t x = 0; x < width * kZoom; ++x) {
      zoomed[y * width * kZoom + x] = sheet[y / kZoom * width + x / kZoom];
    }
  }
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(width * kZoom);
  png.height = static_cast<png_uint_32>(height * kZoom);
  png.format = PNG_FORMAT_GRAY;
  if (png_image_write_to_file(&png, argv[1], 0, zoomed.data(), 0, nullptr) == 0) {
    std::fprintf(stderr, "cannot write %s: %s\n", argv[1], png.message);
    return 3;
  }
  return 0;
}
