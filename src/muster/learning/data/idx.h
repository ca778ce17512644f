// The idx format of LeCun's MNIST files: big-endian magic
// (0x00000803 images, 0x00000801 labels), counts, then bytes.
//
// A folder holds train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
// t10k-labels-idx1-ubyte, each plain or with .gz appended (plain wins when both exist). Decoding is total:
// whatever the bytes, the result is a data set or an Error(data) that names the file, what was found and what
// was expected; memory grows with the bytes that are really there, never with a count that a header claims.
// Pure reading; any thread.
#pragma once

#include <filesystem>

#include "muster/learning/dataset.h"

namespace muster::learning {

DataSplit load_idx(const std::filesystem::path& dir);

// One pair of files, as load_idx finds them.
Dataset load_idx_pair(const std::filesystem::path& images, const std::filesystem::path& labels);

}  // namespace muster::learning
