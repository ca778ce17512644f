// Reads the idx format of LeCun's MNIST files: a big-endian magic number (0x00000803 for images,
// 0x00000801 for labels), counts, then bytes.
//
// A folder holds train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
// t10k-labels-idx1-ubyte, each plain or gzip-compressed with the suffix .gz (the plain file is used if both
// exist). Images must be 28x28, and labels 0 to 9. Any input gives either a data set or an Error(data) that
// names the file, what was found and what was expected. Memory grows only with the bytes that are present,
// not with the count that a header claims. The functions are thread-safe.
#pragma once

#include <filesystem>

#include "muster/learning/dataset.h"

namespace muster::learning {

DataSplit load_idx(const std::filesystem::path& dir);

// Reads a file of images and the file of their labels.
Dataset load_idx_pair(const std::filesystem::path& images, const std::filesystem::path& labels);

}  // namespace muster::learning
