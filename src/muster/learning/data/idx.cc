#include "muster/learning/data/idx.h"

#include <algorithm>
#include <string>

#include "muster/core/error.h"
#include "muster/learning/data/byte_file.h"

namespace muster::learning {
namespace {

constexpr std::uint32_t kImageMagic = 0x00000803;
constexpr std::uint32_t kLabelMagic = 0x00000801;

std::string hex(std::uint32_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[(value >> shift) & 15];
  return text;
}

// Reads one idx file from front to back.
class IdxFile {
 public:
  explicit IdxFile(const std::filesystem::path& path) : path_(path), file_(path) {}

  std::uint32_t word(const char* what) {
    std::uint8_t bytes[4];
    const std::size_t got = file_.read(bytes);
    if (got < 4) refuse("end of file in the header", std::string("4 bytes of ") + what, "is truncated");
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 |
           bytes[3];
  }

  void expect_magic(std::uint32_t magic, const char* what) {
    const std::uint32_t found = word("magic number");
    if (found != magic)
      refuse("magic " + hex(found), hex(magic) + " (" + what + ")", "is not this kind of file");
  }

  std::size_t count() {
    const std::uint32_t found = word("count");
    if (found == 0 || found > kMaxExamples) {
      refuse("header count " + std::to_string(found), "1 to " + std::to_string(kMaxExamples) + " examples",
             "has a count out of range");
    }
    return found;
  }

  void expect_side(const char* what) {
    const std::uint32_t found = word(what);
    if (found != kImageSide) {
      refuse(std::string(what) + " " + std::to_string(found), std::to_string(kImageSide),
             "has images of the wrong size");
    }
  }

  // Reads the rest of the file, which must have exactly `size` bytes. It reads in pieces, so that memory
  // grows only with the bytes that are present.
  std::vector<std::uint8_t> rest(std::size_t size) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < size) {
      const std::size_t had = bytes.size();
      bytes.resize(std::min(size, had + kPiece));
      const std::size_t got = file_.read(std::span(bytes).subspan(had));
      if (had + got < bytes.size()) {
        refuse(std::to_string(had + got) + " bytes after the header", std::to_string(size), "is truncated");
      }
    }
    std::uint8_t extra[1];
    if (file_.read(extra) != 0) {
      refuse("more than " + std::to_string(size) + " bytes after the header", std::to_string(size),
             "has trailing bytes");
    }
    return bytes;
  }

  [[noreturn]] void refuse(const std::string& found, const std::string& expected,
                           const std::string& message) const {
    throw Error(ErrorCode::data, path_.string(), found, expected, message);
  }

 private:
  std::filesystem::path path_;
  ByteFile file_;
};

}  // namespace

Dataset load_idx_pair(const std::filesystem::path& images, const std::filesystem::path& labels) {
  IdxFile image_file(images);
  image_file.expect_magic(kImageMagic, "images");
  const std::size_t count = image_file.count();
  image_file.expect_side("rows");
  image_file.expect_side("columns");

  IdxFile label_file(labels);
  label_file.expect_magic(kLabelMagic, "labels");
  const std::size_t label_count = label_file.count();
  if (label_count != count) {
    label_file.refuse(std::to_string(label_count) + " labels",
                      std::to_string(count) + ", the images in " + images.filename().string(),
                      "does not fit its images");
  }

  Dataset data;
  data.labels = label_file.rest(count);
  const auto bad =
      std::find_if(data.labels.begin(), data.labels.end(), [](std::uint8_t l) { return l >= kClasses; });
  if (bad != data.labels.end()) {
    label_file.refuse(
        "label " + std::to_string(*bad) + " at index " + std::to_string(bad - data.labels.begin()), "0 to 9",
        "has a label that is no digit");
  }
  data.bytes = image_file.rest(count * kImagePixels);
  return data;
}

DataSplit load_idx(const std::filesystem::path& dir) {
  const auto pair = [&dir](const std::string& stem) {
    const std::filesystem::path images = find_plain_or_gz(dir, stem + "-images-idx3-ubyte");
    return load_idx_pair(images, find_plain_or_gz(dir, stem + "-labels-idx1-ubyte"));
  };
  DataSplit split;
  split.train = pair("train");
  split.test = pair("t10k");
  return split;
}

}  // namespace muster::learning
