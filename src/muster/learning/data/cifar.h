// Reads the binary format of CIFAR-10 and CIFAR-100 (Krizhevsky 2009): records of one or two label bytes and
// 3,072 colour bytes, which are a red, a green and a blue plane of 32 rows of 32 bytes.
//
// CIFAR-10 has data_batch_1.bin to data_batch_5.bin and test_batch.bin, with one label per record (0..9).
// CIFAR-100 has train.bin and test.bin, with two labels per record; only the second one, the fine label
// (0..99), is kept. Each file may be plain or gzip-compressed with the suffix .gz. A folder that contains
// neither data set, or both, is refused. Any input gives either a data set or an Error(data) that names the
// file or the folder, what was found and what was expected. Incomplete records, training batches of different
// sizes, and more records than in the original files are refused. Memory grows only with the bytes that are
// present. The function is thread-safe.
#pragma once

#include <cstddef>
#include <filesystem>

#include "muster/learning/dataset.h"

namespace muster::learning {

inline constexpr std::size_t kCifarSide = 32;

// Returns images of shape 32x32x3, normalised by kCifar.
DataSplit load_cifar(const std::filesystem::path& dir);

}  // namespace muster::learning
